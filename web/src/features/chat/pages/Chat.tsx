import { useQuery } from "@tanstack/react-query";
import { ApiError } from "@/shared/api/errors";
import { gelStyle } from "@/shared/gel";
import { useTitle } from "@/shared/hooks/useTitle";
import { paths } from "@/shared/paths";
import { useParams, useSearchParams } from "@/shared/router";
import { ButtonLink, Failure } from "@/shared/ui";
import { chatOptions } from "../api";
import { MiniRail } from "../components/MiniRail";
import { Talk } from "../components/Talk";
import { TalkSkeleton } from "../components/TalkSkeleton";
import "../chat.css";
import { useMessages } from "../i18n";

export default function Chat() {
  const id = useParams().id ?? "";
  const [search] = useSearchParams();
  const chatId = search.get("chat");
  const { data: page, isPending, error, refetch } = useQuery(chatOptions(id, chatId));
  const t = useMessages("talk");
  useTitle(page && t("title", { name: page.character.name }));
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
          <h1 className="sr">{t("chat")}</h1>
          {absent && chatId ? (
            <div className="talk-gone">
              <Failure message={t("gone")} />
              <ButtonLink to={paths.chat(id)}>{t("latestChat")}</ButtonLink>
            </div>
          ) : absent ? (
            <div className="talk-gone">
              <Failure message={t("noCharacter")} />
              <ButtonLink to={paths.search}>{t("searchCharacters")}</ButtonLink>
            </div>
          ) : (
            <Failure message={t("failed")} onRetry={() => void refetch()} />
          )}
        </main>
      )}
    </div>
  );
}
