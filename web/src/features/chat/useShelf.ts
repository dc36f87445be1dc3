import { type InfiniteData, useMutation, useQueryClient } from "@tanstack/react-query";
import { messageOf } from "@/shared/api/errors";
import type { ChatSummary } from "@/shared/api/types";
import { toast } from "@/shared/toast";
import {
  CHATS_PAGE,
  type ChatChange,
  changeChat,
  chatKeys,
  deleteChat,
  type ExportFormat,
  exportChat,
  restoreChat,
} from "./api";
import { messages as words } from "./i18n";

/** A chat as a change leaves it; an empty title is none. */
export const changed = (chat: ChatSummary, { title, ...rest }: ChatChange): ChatSummary => ({
  ...chat,
  ...rest,
  ...(title !== undefined && { title: title.trim() || null }),
});

/** Pinned ones first, then the latest first. */
export const inOrder = (chats: readonly ChatSummary[]) =>
  chats.toSorted(
    (a, b) => Number(b.pinned) - Number(a.pinned) || b.lastMessageAt.localeCompare(a.lastMessageAt),
  );

type Pages = InfiniteData<ChatSummary[], string>;

/** Chats in as many pages as there were, so that as many are read again. */
const repaged = (chats: readonly ChatSummary[], { length }: Pages["pages"]) =>
  Array.from({ length }, (_, page) =>
    chats.slice(page * CHATS_PAGE, page === length - 1 ? undefined : (page + 1) * CHATS_PAGE),
  );

/** Names, pins, puts away, deletes and takes along chats: shown at once, put back where the server will not. */
export function useShelf() {
  const client = useQueryClient();
  const settle = () => client.invalidateQueries({ queryKey: chatKeys.all });
  const guess = async (make: (chats: ChatSummary[]) => ChatSummary[]) => {
    await client.cancelQueries({ queryKey: chatKeys.lists });
    const before = client.getQueriesData<Pages>({ queryKey: chatKeys.lists });
    for (const [key, list] of before) {
      if (!list) continue;
      const chats = inOrder(make(list.pages.flat()).filter((chat) => chat.archived === key[2]));
      client.setQueryData<Pages>(key, { ...list, pages: repaged(chats, list.pages) });
    }
    return before;
  };
  const back = (before: Awaited<ReturnType<typeof guess>> | undefined) => {
    for (const [key, chats] of before ?? []) client.setQueryData(key, chats);
  };

  const change = useMutation({
    mutationFn: ({ id, ...to }: { id: string } & ChatChange) => changeChat(id, to),
    onMutate: ({ id, ...to }) =>
      guess((chats) => chats.map((chat) => (chat._id === id ? changed(chat, to) : chat))),
    onSuccess: (_, { id, archived }) => {
      if (archived === undefined) return;
      toast.undo(words("list")(archived ? "putAway" : "amongChats"), () =>
        change.mutate({ id, archived: !archived }),
      );
    },
    onError: (error, _, before) => {
      back(before);
      toast.error(messageOf(error, words("list")("changeFailed")));
    },
    onSettled: settle,
  });
  const restore = async (id: string) => {
    try {
      await restoreChat(id);
    } catch (error) {
      toast.error(messageOf(error, words("list")("backFailed")));
    }
    void settle();
  };
  const remove = useMutation({
    mutationFn: deleteChat,
    onMutate: (id) => guess((chats) => chats.filter((chat) => chat._id !== id)),
    onSuccess: (_, id) => toast.undo(words("list")("deleted"), () => void restore(id)),
    onError: (error, _, before) => {
      back(before);
      toast.error(messageOf(error, words("list")("deleteFailed")));
    },
    onSettled: settle,
  });
  const takeAlong = useMutation({
    mutationFn: ({ id, format }: { id: string; format: ExportFormat }) => exportChat(id, format),
    onError: (error) => toast.error(messageOf(error, words("file")("exportFailed"))),
  });
  return {
    change: change.mutate,
    remove: remove.mutate,
    takeAlong: takeAlong.mutate,
  };
}
