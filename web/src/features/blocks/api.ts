import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import { messageOf } from "@/shared/api/errors";
import type { Block, BlockList } from "@/shared/api/types";
import { toast } from "@/shared/toast";

const key = ["blocks"] as const;

export const blocksOptions = queryOptions({
  queryKey: key,
  queryFn: ({ signal }) => api.get<BlockList>("blocks", { signal }),
  select: ({ blocks }) => blocks,
});

export interface SetBlock {
  block: Block;
  on: boolean;
}

const same = (a: Block, b: Block) => a.kind === b.kind && a.target === b.target;

/** Blocks, or no longer: at once on the page, back if it fails. What is listed elsewhere is read anew. */
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
      client.setQueryData<BlockList>(key, (list) => {
        const others = (list?.blocks ?? []).filter((other) => !same(other, block));
        return { blocks: on ? [...others, block] : others };
      });
      return before;
    },
    onSuccess: (list) => {
      client.setQueryData(key, list);
      return client.invalidateQueries({ predicate: (query) => query.queryKey[0] !== key[0] });
    },
    onError: (error, _asked, before) => {
      client.setQueryData(key, before);
      toast.error(messageOf(error, "Your block list could not be changed. Please try again."));
    },
  });
}
