import { useMutation, useQueryClient } from "@tanstack/react-query";
import { messageOf } from "@/shared/api/errors";
import type { ChatMemory } from "@/shared/api/types";
import { toast } from "@/shared/toast";
import { addMemory, changeMemory, chatKeys, deleteMemory } from "./api";
import { messages } from "./i18n";

/** Most a memory holds, characters. */
export const MAX_MEMORY_CHARS = 1000;

type Answer = { memories: ChatMemory[] };

/** The memories of a chat, changed at once and put back where the server will not. */
export function useMemories(chatId: string) {
  const client = useQueryClient();
  const key = chatKeys.memories(chatId);
  const settle = () => client.invalidateQueries({ queryKey: chatKeys.mind(chatId) });
  const guess = async (make: (memories: ChatMemory[]) => ChatMemory[]) => {
    await client.cancelQueries({ queryKey: key });
    const before = client.getQueryData<Answer>(key);
    if (before) client.setQueryData<Answer>(key, { ...before, memories: make(before.memories) });
    return { before };
  };
  const failed = (error: unknown, context: { before?: Answer } | undefined, words: string) => {
    if (context?.before) client.setQueryData(key, context.before);
    toast.error(messageOf(error, words));
  };
  const add = useMutation({
    mutationFn: (memory: { text: string; scope: ChatMemory["scope"] }) => addMemory(chatId, memory),
    onError: (error) => toast.error(messageOf(error, messages("memory")("addFailed"))),
    onSettled: settle,
  });
  const change = useMutation({
    mutationFn: ({ id, ...to }: { id: string; text?: string; pinned?: boolean }) => changeMemory(id, to),
    onMutate: ({ id, ...to }) =>
      guess((memories) => memories.map((memory) => (memory._id === id ? { ...memory, ...to } : memory))),
    onError: (error, _, context) => failed(error, context, messages("memory")("changeFailed")),
    onSettled: settle,
  });
  // Whoever undoes at once is quicker than the server: what comes back must not be deleted after it.
  const scope = { id: `memories of ${chatId}` };
  /** What was deleted. A fact is written down anew; a summary still has its place, and gets its words back. */
  const again = useMutation({
    scope,
    mutationFn: async ({ _id, kind, text, scope, pinned }: ChatMemory) => {
      if (kind === "summary") {
        await changeMemory(_id, { text, pinned });
        return;
      }
      const { memory } = await addMemory(chatId, { text, scope });
      if (pinned !== memory.pinned) await changeMemory(memory._id, { pinned });
    },
    onError: (error) => toast.error(messageOf(error, messages("memory")("backFailed"))),
    onSettled: settle,
  });
  const forget = useMutation({
    scope,
    mutationFn: ({ _id }: ChatMemory) => deleteMemory(_id),
    onMutate: ({ _id }) => guess((memories) => memories.filter((memory) => memory._id !== _id)),
    onError: (error, _, context) => failed(error, context, messages("memory")("deleteFailed")),
    onSettled: settle,
  });
  return { add, again, change, forget };
}
