import {
  type InfiniteData,
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import { messageOf } from "@/shared/api/errors";
import type { ChatSummary, Memory, MemoryPage, MemoryPatch } from "@/shared/api/types";
import { dayOf } from "@/shared/format";
import { toast } from "@/shared/toast";
import { messages } from "./i18n";

/** What a memory may hold, characters. */
export const MAX_MEMORY_CHARS = 1000;
export const IMPORTANCES = ["1", "2", "3", "4", "5"] as const;

const memoryKeys = {
  all: ["memories"] as const,
  ofCharacter: (id: string) => ["memories", "character", id] as const,
};

/** What a character remembers of the reader, over all chats. */
export const memoriesOptions = (characterId: string) =>
  infiniteQueryOptions({
    queryKey: memoryKeys.ofCharacter(characterId),
    queryFn: ({ pageParam, signal }) =>
      api.get<MemoryPage>("memories", { query: { characterId, page: pageParam }, signal }),
    initialPageParam: 1,
    getNextPageParam: (last: MemoryPage) => (last.hasMore ? last.page + 1 : undefined),
    // A scene that was just played may have left something behind.
    staleTime: 0,
  });

/** Names of the reader's chats by their ids, those that are put away among them. */
export const chatNamesOptions = queryOptions({
  queryKey: ["chats", "names"],
  queryFn: async ({ signal }) => {
    const [open, away] = await Promise.all([
      api.get<ChatSummary[]>("chats", { signal }),
      api.get<ChatSummary[]>("chats", { query: { archived: true }, signal }),
    ]);
    return new Map([...open, ...away].map((chat) => [chat._id, chatName(chat)]));
  },
});

const chatName = (chat: ChatSummary) =>
  chat.title ?? messages("memories")("chatOf", { day: dayOf(chat.createdAt) });

type Pages = InfiniteData<MemoryPage>;

/** The pages with one memory changed, or gone where `change` gives null. */
export function withMemory(
  pages: Pages | undefined,
  id: string,
  change: (memory: Memory) => Memory | null,
): Pages | undefined {
  return (
    pages && {
      ...pages,
      pages: pages.pages.map((page) => ({
        ...page,
        memories: page.memories.flatMap((memory) => {
          const now = memory._id === id ? change(memory) : memory;
          return now ? [now] : [];
        }),
      })),
    }
  );
}

/** Changes what is shown at once, and puts it back where the server refuses. */
function useOptimistic<T extends { id: string }>(
  characterId: string,
  send: (change: T) => Promise<unknown>,
  apply: (memory: Memory, change: T) => Memory | null,
  failed: "changeFailed" | "forgetFailed",
) {
  const client = useQueryClient();
  const { queryKey } = memoriesOptions(characterId);
  return useMutation({
    mutationFn: send,
    onMutate: async (change) => {
      await client.cancelQueries({ queryKey });
      const before = client.getQueryData(queryKey);
      client.setQueryData(queryKey, (pages) =>
        withMemory(pages, change.id, (memory) => apply(memory, change)),
      );
      return before;
    },
    onError: (error, _change, before) => {
      client.setQueryData(queryKey, before);
      toast.error(messageOf(error, messages("memories")(failed)));
    },
    onSettled: () => void client.invalidateQueries({ queryKey: memoryKeys.all }),
  });
}

export const useChangeMemory = (characterId: string) =>
  useOptimistic(
    characterId,
    ({ id, patch }: { id: string; patch: MemoryPatch }) => api.put(`memories/${id}`, { json: patch }),
    (memory, { patch }) => ({
      ...memory,
      text: patch.text ?? memory.text,
      pinned: patch.pinned ?? memory.pinned,
      importance: patch.importance ?? memory.importance,
    }),
    "changeFailed",
  );

export const useForgetMemory = (characterId: string) =>
  useOptimistic(
    characterId,
    ({ id }: { id: string }) => api.delete(`memories/${id}`),
    () => null,
    "forgetFailed",
  );
