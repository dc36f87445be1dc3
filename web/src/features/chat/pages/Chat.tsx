import { useQuery } from "@tanstack/react-query";
import { useParams, useSearchParams } from "react-router";
import { ApiError } from "@/shared/api/errors";
import { gelStyle } from "@/shared/gel";
import { useTitle } from "@/shared/hooks/useTitle";
import { paths } from "@/shared/paths";
import { ButtonLink, Failure } from "@/shared/ui";
import { chatOptions } from "../api";
import { MiniRail } from "../components/MiniRail";
import { Talk } from "../components/Talk";
import { TalkSkeleton } from "../components/TalkSkeleton";
import "../chat.css";

export default function Chat() {
  const id = useParams().id ?? "";
  const [search] = useSearchParams();
  const chatId = search.get("chat");
  const { data: page, isPending, error, refetch } = useQuery(chatOptions(id, chatId));
  useTitle(page && `${page.character.name}, chat`);
  const absent = error instanceof ApiError && error.status === 404;
  return (
    <div className="chat" style={gelStyle(page?.character.gel)}>
      <MiniRail chatId={page?.chatId} />
      {isPending ? (
        <TalkSkeleton />
      ) : page ? (
        <Talk key={page.chatId} page={page} at={search.get("at")} />
      ) : (
        <main className="talk-closed" id="main" tabIndex={-1}>
          <h1 className="sr">Chat</h1>
          {absent && chatId ? (
            <div className="talk-gone">
              <Failure message="This chat is no longer there." />
              <ButtonLink to={paths.chat(id)}>The latest chat with them</ButtonLink>
            </div>
          ) : absent ? (
            <div className="talk-gone">
              <Failure message="Character not found." />
              <ButtonLink to={paths.search}>Search characters</ButtonLink>
            </div>
          ) : (
            <Failure message="Failed to load chat. Please try again." onRetry={() => void refetch()} />
          )}
        </main>
      )}
    </div>
  );
}
