import { useQuery } from "@tanstack/react-query";
import { MessageCircle } from "lucide-react";
import { Link } from "react-router";
import type { ChatSummary } from "@/shared/api/types";
import { ago, cut, plural } from "@/shared/format";
import { useMinLoading } from "@/shared/hooks/useMinLoading";
import { LAST_MESSAGE_CHARS, MIN_LOADING_MS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { useLoggedIn } from "@/shared/store";
import { ButtonLink, Empty, Failure } from "@/shared/ui";
import { chatsOptions } from "../api";
import { Tile } from "../components/Turn";
import { flat } from "../prose";
import "../chat.css";

/** Placeholder rows while the list loads. */
const BONES = ["first", "second", "third", "fourth", "fifth"];

function ChatItem({ chat }: { chat: ChatSummary }) {
  const last = chat.lastMessage
    ? cut(flat(chat.lastMessage.content), LAST_MESSAGE_CHARS)
    : "Nothing said yet";
  return (
    <li>
      <Link className="chat-item" to={paths.chat(chat.character._id)}>
        <Tile src={chat.character.imageUrl} />
        <span className="chat-item-text">
          <b>{chat.character.name}</b>
          <span>{last}</span>
        </span>
        <span className="chat-item-meta num">
          <time dateTime={chat.lastMessageAt}>{ago(chat.lastMessageAt)}</time>
          <span>
            <MessageCircle className="icon s" />
            {chat.messageCount.toLocaleString("en-GB")}
            <span className="sr"> {plural(chat.messageCount, "message")}</span>
          </span>
        </span>
      </Link>
    </li>
  );
}

function ChatList() {
  const { data: chats, isPending, isError, refetch } = useQuery(chatsOptions);
  const loading = useMinLoading(isPending, MIN_LOADING_MS);
  if (loading) {
    return (
      <div className="chat-list" role="status" aria-label="Loading chats">
        {BONES.map((key) => (
          <div className="chat-item skeleton" key={key}>
            <span className="tile" />
            <span className="chat-item-text">
              <span className="bone w-60" />
              <span className="bone w-92" />
            </span>
          </div>
        ))}
      </div>
    );
  }
  if (isError || !chats) {
    return <Failure message="Failed to load chats. Please try again." onRetry={() => void refetch()} />;
  }
  if (chats.length === 0) {
    return (
      <Empty
        title="It's a bit empty here"
        action={
          <ButtonLink look="lit" to={paths.search}>
            Find someone to talk to
          </ButtonLink>
        }
      >
        Every conversation you begin waits here for its next line.
      </Empty>
    );
  }
  return (
    <>
      <ul className="chat-list">
        {chats.map((chat) => (
          <ChatItem key={chat._id} chat={chat} />
        ))}
      </ul>
      <p className="list-end">
        <Link className="link" to={paths.forYou}>
          That is everyone. Meet somebody new
        </Link>
      </p>
    </>
  );
}

export default function Chats() {
  const loggedIn = useLoggedIn();
  if (!loggedIn) return null;
  return (
    <>
      <header className="page-head">
        <h1>Chats</h1>
      </header>
      <ChatList />
    </>
  );
}
