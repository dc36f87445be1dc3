import { useInfiniteQuery } from "@tanstack/react-query";
import type { MessageHit } from "@/shared/api/types";
import { paths } from "@/shared/paths";
import { Link } from "@/shared/router";
import { Button, Failure } from "@/shared/ui";
import { hitsOptions } from "../api";
import { useMessages } from "../i18n";
import { marked } from "../marks";
import { useTimes } from "../useTimes";
import { Tile } from "./Turn";

function Hit({ hit }: { hit: MessageHit }) {
  const t = useMessages("list");
  const { ago } = useTimes();
  const { character, chatId, messageId } = hit;
  const pieces = marked(hit);
  return (
    <li className="chat-row">
      <Link className="chat-item hit" to={paths.chat(character._id, { chat: chatId, at: messageId })}>
        <Tile src={character.imageUrl} />
        <span className="chat-item-text">
          <b>{hit.title ?? character.name}</b>
          <span>
            <span className="text-3">
              {hit.senderType === "user" ? t("you") : t("saidBy", { name: character.name })}
            </span>
            {pieces.map((piece, at) =>
              // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a snippet never change places.
              piece.marked ? <mark key={at}>{piece.text}</mark> : <span key={at}>{piece.text}</span>,
            )}
          </span>
        </span>
        <span className="chat-item-meta num">
          <time dateTime={hit.createdAt}>{ago(hit.createdAt)}</time>
        </span>
      </Link>
    </li>
  );
}

/** Messages that hold the words one looks for. */
export function Hits({ words }: { words: string }) {
  const t = useMessages("list");
  const { data, isPending, isError, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery(hitsOptions(words));
  const hits = data?.pages.flatMap((page) => page.hits) ?? [];
  return (
    <section className="hits" aria-busy={isPending}>
      <h2>{t("inMessages")}</h2>
      {isError ? (
        <Failure message={t("hitsFailed")} onRetry={() => void refetch()} />
      ) : hits.length === 0 ? (
        <p className="text-2" role="status">
          {t(isPending ? "looking" : "nobody")}
        </p>
      ) : (
        <ul className="chat-list">
          {hits.map((hit) => (
            <Hit key={hit.messageId} hit={hit} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t("more")}
        </Button>
      )}
    </section>
  );
}
