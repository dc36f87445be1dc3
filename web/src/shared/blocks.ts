import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "./api/client";
import { messageOf } from "./api/errors";
import type { Block, BlockList, CharacterCard } from "./api/types";
import { messages } from "./i18n";
import { useLoggedIn, useUser } from "./store";
import { toast } from "./toast";

const key = ["blocks"] as const;

/** What the reader does not want to see. */
export const blocksOptions = queryOptions({
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

interface SetBlock {
  block: Block;
  on: boolean;
}

const same = (a: Block, b: Block) => a.kind === b.kind && a.target === b.target;

/** Blocks, or no longer: at once on the page, back if it fails. */
export function useSetBlock() {
  const client = useQueryClient();
  return useMutation({
    // One after the other: an Undo must not overtake what it undoes.
    scope: { id: "blocks" },
    mutationFn: ({ block: { kind, target }, on }: SetBlock) =>
      api.post<BlockList>("blocks", { json: { kind, target, on } }),
    onMutate: async ({ block, on }) => {
      await client.cancelQueries({ queryKey: key });
      const before = client.getQueryData<BlockList>(key);
      const others = before?.blocks.filter((other) => !same(other, block)) ?? [];
      client.setQueryData<BlockList>(key, { blocks: on ? [block, ...others] : others });
      return before;
    },
    onSuccess: (list, { block: { kind, target }, on }) => {
      client.setQueryData(key, list);
      // What is on the page is already right; a list that was read while the block stood lacks its cards.
      void client.invalidateQueries({ queryKey: ["characters"], refetchType: on ? "none" : "active" });
      if (!on && kind === "character") void client.invalidateQueries({ queryKey: ["character", target] });
    },
    onError: (error, _asked, before) => {
      // A list that had not come is not an empty one.
      if (before) client.setQueryData(key, before);
      else void client.resetQueries({ queryKey: key });
      toast.error(messageOf(error, messages("ui")("blocksFailed")));
    },
  });
}

/** What a toast says of a new block. */
function sentence({ kind, label }: Block): string {
  const t = messages("ui");
  if (kind === "tag") return t("tagBlocked", { name: label });
  return t(kind === "creator" ? "creatorBlocked" : "nameBlocked", { name: label });
}

/** Blocks at once, with Undo beside it for a while. */
export function useBlock(): (block: Block) => Promise<void> {
  const set = useSetBlock();
  return async (block) => {
    const kept = await set.mutateAsync({ block, on: true }).catch(() => null);
    if (kept) toast.undo(sentence(block), () => set.mutate({ block, on: false }));
  };
}

/** Lets something be seen again. Resolves to whether it is. */
export function useUnblock(): (block: Block) => Promise<boolean> {
  const set = useSetBlock();
  return (block) =>
    set.mutateAsync({ block, on: false }).then(
      () => true,
      () => false,
    );
}
