import { useQuery } from "@tanstack/react-query";
import { FileUp, Search } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import { useMinLoading } from "@/shared/hooks/useMinLoading";
import { MIN_LOADING_MS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { useLoggedIn } from "@/shared/store";
import { Button, ButtonLink, Empty, Failure, Segmented } from "@/shared/ui";
import { chatListOptions } from "../api";
import { ChatItem } from "../components/ChatItem";
import { Hits } from "../components/Hits";
import { ImportDialog } from "../components/ImportDialog";
import { useSettled } from "../useSettled";
import { useShelf } from "../useShelf";
import "../chat.css";

/** Placeholder rows while the list loads. */
const BONES = ["first", "second", "third", "fourth", "fifth"];
/** A search begins once nothing was typed for this long, ms. */
const TYPING_MS = 300;

type Shelf = "chats" | "archived";

function Bones() {
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

function Nothing({ archived }: { archived: boolean }) {
  if (archived) {
    return (
      <Empty title="Nothing is put away">Chats that you archive wait here, out of the way and whole.</Empty>
    );
  }
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

function ChatList({ archived, words }: { archived: boolean; words: string }) {
  const { data: chats, isPending, isError, refetch } = useQuery(chatListOptions(archived, words));
  const shelf = useShelf();
  const loading = useMinLoading(isPending, MIN_LOADING_MS);
  if (loading) return <Bones />;
  if (isError || !chats) {
    return <Failure message="Failed to load chats. Please try again." onRetry={() => void refetch()} />;
  }
  // What was asked before stays until the answer comes; it may be of the other shelf.
  const here = chats.filter((chat) => chat.archived === archived);
  if (here.length === 0) {
    if (words !== "") return <p className="text-2">No chat goes by that name.</p>;
    return <Nothing archived={archived} />;
  }
  return (
    <>
      <ul className="chat-list">
        {here.map((chat) => (
          <ChatItem key={chat._id} chat={chat} shelf={shelf} />
        ))}
      </ul>
      {!archived && words === "" && (
        <p className="list-end">
          <Link className="link" to={paths.forYou}>
            That is everyone. Meet somebody new
          </Link>
        </p>
      )}
    </>
  );
}

function Shelves() {
  const [shelf, setShelf] = useState<Shelf>("chats");
  const [typed, setTyped] = useState("");
  const [imports, setImports] = useState(false);
  const words = useSettled(typed.trim(), TYPING_MS);
  return (
    <>
      <header className="page-head">
        <h1>Chats</h1>
      </header>
      <div className="shelf-bar">
        <div className="with-icon">
          <Search className="icon" />
          <input
            className="input"
            type="search"
            aria-label="Search your chats"
            placeholder="A name, a title, words that were said"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </div>
        <Segmented
          label="Which chats"
          value={shelf}
          onChange={setShelf}
          options={[
            { value: "chats", label: "Chats" },
            { value: "archived", label: "Archived" },
          ]}
        />
        <Button onClick={() => setImports(true)}>
          <FileUp className="icon s" />
          Import
        </Button>
      </div>
      <ChatList archived={shelf === "archived"} words={words} />
      {words !== "" && <Hits words={words} />}
      {imports && <ImportDialog onClose={() => setImports(false)} />}
    </>
  );
}

export default function Chats() {
  return useLoggedIn() ? <Shelves /> : null;
}
