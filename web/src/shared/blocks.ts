import { type QueryClient, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "./api/client";
import { messageOf } from "./api/errors";
import type { Block, BlockList, CharacterCard } from "./api/types";
import { useLoggedIn, useUser } from "./store";
import { toast } from "./toast";

const key = ["blocks"] as const;

const blocksOptions = queryOptions({
  queryKey: key,
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

async function save(client: QueryClient, block: Block, on: boolean): Promise<boolean> {
  const before = client.getQueryData<BlockList>(key) ?? { blocks: [] };
  const others = before.blocks.filter((b) => b.kind !== block.kind || b.target !== block.target);
  client.setQueryData<BlockList>(key, { blocks: on ? [block, ...others] : others });
  try {
    const { kind, target } = block;
    client.setQueryData(key, await api.post<BlockList>("blocks", { json: { kind, target, on } }));
    // What is on the page is already right; a list that was read while the block stood lacks its cards.
    void client.invalidateQueries({ queryKey: ["characters"], refetchType: on ? "none" : "active" });
    if (!on && kind === "character") void client.invalidateQueries({ queryKey: ["character", target] });
    return true;
  } catch (error) {
    client.setQueryData(key, before);
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

/** Lets something be seen again. */
export function useUnblock(): (block: Block) => Promise<boolean> {
  const client = useQueryClient();
  return (block) => save(client, block, false);
}
