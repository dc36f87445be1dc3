import { type InfiniteData, useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import { messageOf } from "@/shared/api/errors";
import type { NotificationList } from "@/shared/api/types";
import { toast } from "@/shared/toast";
import { keys } from "./api";
import { messages } from "./i18n";

type Pages = InfiniteData<NotificationList, number>;

/** The list as it is once these are read; all of them where none is named. */
export function markedRead(pages: Pages, ids: readonly string[]): Pages {
  const isMeant = (id: string) => ids.length === 0 || ids.includes(id);
  return {
    ...pages,
    pages: pages.pages.map((page) => ({
      ...page,
      notifications: page.notifications.map((note) => (isMeant(note._id) ? { ...note, read: true } : note)),
    })),
  };
}

/** Marks these as read, at once on the page; all of them where none is named. */
export function useMarkRead() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (ids: string[]) => api.post<{ unread: number }>("notifications/read", { json: { ids } }),
    onMutate: async (ids) => {
      await client.cancelQueries({ queryKey: keys.all });
      client.setQueryData<Pages>(keys.list, (pages) => pages && markedRead(pages, ids));
      client.setQueryData<number>(keys.unread, (unread) =>
        ids.length === 0 ? 0 : Math.max(0, (unread ?? 0) - ids.length),
      );
    },
    onSuccess: ({ unread }) => client.setQueryData(keys.unread, unread),
    onError: (error) => {
      toast.error(messageOf(error, messages("notes")("markFailed")));
    },
    // After a success too: where the list was being read, that was broken off, and nobody else would begin it anew.
    onSettled: () => client.invalidateQueries({ queryKey: keys.all }),
  });
}
