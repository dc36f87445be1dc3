import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import type { MessageHit } from "@/shared/api/types";
import { ago } from "@/shared/format";
import { paths } from "@/shared/paths";
import { Button, Failure } from "@/shared/ui";
import { hitsOptions } from "../api";
import { marked } from "../marks";
import { Tile } from "./Turn";

function Hit({ hit }: { hit: MessageHit }) {
  const { character, chatId, messageId } = hit;
  const pieces = marked(hit);
  return (
    <li className="chat-row">
      <Link className="chat-item hit" to={paths.chat(character._id, { chat: chatId, at: messageId })}>
        <Tile src={character.imageUrl} />
        <span className="chat-item-text">
          <b>{hit.title ?? character.name}</b>
          <span>
            <span className="text-3">{hit.senderType === "user" ? "You: " : `${character.name}: `}</span>
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
  const { data, isPending, isError, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery(hitsOptions(words));
  const hits = data?.pages.flatMap((page) => page.hits) ?? [];
  return (
    <section className="hits" aria-busy={isPending}>
      <h2>In messages</h2>
      {isError ? (
        <Failure message="The messages could not be searched." onRetry={() => void refetch()} />
      ) : hits.length === 0 ? (
        <p className="text-2" role="status">
          {isPending ? "Looking…" : "Nobody said that."}
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
          More
        </Button>
      )}
    </section>
  );
}
