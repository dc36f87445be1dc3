import { queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "./api/client";
import type { Block, BlockList, CharacterCard } from "./api/types";
import { useLoggedIn, useUser } from "./store";

export const blocksKey = ["blocks"] as const;

/** What the reader does not want to see. */
export const blocksOptions = queryOptions({
  queryKey: blocksKey,
  queryFn: ({ signal }) => api.get<BlockList>("blocks", { signal }),
  select: ({ blocks }) => blocks,
});

/** Whether a block list keeps a card out of sight. */
export function isBlocked(card: CharacterCard, blocks: readonly Block[]): boolean {
  return blocks.some(({ kind, target }) => {
    if (kind === "character") return card._id === target;
    if (kind === "creator") return card.creator._id === target;
    return card.tags.some((tag) => tag.toLowerCase() === target);
  });
}

/**
 * The cards without those of others that were blocked on this page. The server leaves blocked ones out of what it sends, so
 * the list itself is not fetched for this: it is here once something has been blocked.
 */
export function useUnblocked(cards: readonly CharacterCard[]): readonly CharacterCard[] {
  const { data } = useQuery({ ...blocksOptions, enabled: false });
  const me = useUser()?._id;
  return data?.length ? cards.filter((card) => card.creator._id === me || !isBlocked(card, data)) : cards;
}

/** The block that keeps something from the reader, where there is one. Read from the server on its own page. */
export function useBlockOf(kind: Block["kind"], target: string): Block | null {
  const loggedIn = useLoggedIn();
  const { data } = useQuery({ ...blocksOptions, enabled: loggedIn });
  return data?.find((block) => block.kind === kind && block.target === target) ?? null;
}
