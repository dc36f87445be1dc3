import { type QueryClient, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "./api/client";
import { messageOf } from "./api/errors";
import type { Block, CharacterCard } from "./api/types";
import { toast } from "./toast";

export const blocksOptions = queryOptions({
  queryKey: ["blocks"],
  queryFn: ({ signal }) => api.get<{ blocks: Block[] }>("blocks", { signal }).then((answer) => answer.blocks),
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
 * The cards without those that were blocked on this page. The server leaves blocked ones out of what it sends, so
 * the list itself is not fetched for this: it is here once something has been blocked.
 */
export function useUnblocked(cards: readonly CharacterCard[]): readonly CharacterCard[] {
  const { data } = useQuery({ ...blocksOptions, enabled: false });
  return data?.length ? cards.filter((card) => !isBlocked(card, data)) : cards;
}

async function save(client: QueryClient, block: Block, on: boolean): Promise<boolean> {
  const { queryKey } = blocksOptions;
  const before = client.getQueryData(queryKey);
  const others = (before ?? []).filter((b) => b.kind !== block.kind || b.target !== block.target);
  client.setQueryData(queryKey, on ? [block, ...others] : others);
  try {
    const { kind, target } = block;
    const answer = await api.post<{ blocks: Block[] }>("blocks", { json: { kind, target, on } });
    client.setQueryData(queryKey, answer.blocks);
    // What is on the page is already right; a list that was read while the block stood lacks its cards.
    void client.invalidateQueries({ queryKey: ["characters"], refetchType: on ? "none" : "active" });
    return true;
  } catch (error) {
    client.setQueryData(queryKey, before ?? []);
    toast.error(messageOf(error, "Your block list could not be saved. Please try again."));
    return false;
  }
}

/** What a toast says of a new block. */
function sentence({ kind, label }: Block): string {
  if (kind === "tag") return `Characters tagged ${label} are blocked.`;
  if (kind === "creator") return `Characters by ${label} are blocked.`;
  return `${label} is blocked.`;
}

/** Blocks at once, with Undo beside it for a while. */
export function useBlock(): (block: Block) => Promise<void> {
  const client = useQueryClient();
  return async (block) => {
    if (await save(client, block, true)) toast.undo(sentence(block), () => void save(client, block, false));
  };
}
