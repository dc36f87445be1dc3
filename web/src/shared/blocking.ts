import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "./api/client";
import { messageOf } from "./api/errors";
import type { Block, BlockList } from "./api/types";
import { blocksKey } from "./blocks";
import { toast } from "./toast";
import { messages } from "./ui/i18n";

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
      await client.cancelQueries({ queryKey: blocksKey });
      const before = client.getQueryData<BlockList>(blocksKey);
      const others = before?.blocks.filter((other) => !same(other, block)) ?? [];
      client.setQueryData<BlockList>(blocksKey, { blocks: on ? [block, ...others] : others });
      return before;
    },
    onSuccess: (list, { block: { kind, target }, on }) => {
      client.setQueryData(blocksKey, list);
      // What is on the page is already right; a list that was read while the block stood lacks its cards.
      void client.invalidateQueries({ queryKey: ["characters"], refetchType: on ? "none" : "active" });
      if (!on && kind === "character") void client.invalidateQueries({ queryKey: ["character", target] });
    },
    onError: (error, _asked, before) => {
      // A list that had not come is not an empty one.
      if (before) client.setQueryData(blocksKey, before);
      else void client.resetQueries({ queryKey: blocksKey });
      toast.error(messageOf(error, messages("card")("blocksFailed")));
    },
  });
}

/** What a toast says of a new block. */
function sentence({ kind, label }: Block): string {
  const t = messages("card");
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
