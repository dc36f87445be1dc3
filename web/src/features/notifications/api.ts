import {
  type InfiniteData,
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useEffect } from "react";
import { api } from "@/shared/api/client";
import { messageOf } from "@/shared/api/errors";
import type { NotificationList } from "@/shared/api/types";
import { onHint } from "@/shared/hints";
import { useUser } from "@/shared/store";
import { toast } from "@/shared/toast";

const keys = {
  all: ["notifications"],
  list: ["notifications", "list"],
  unread: ["notifications", "unread"],
} as const;

/** The kind of hint that tells of a new one. */
const HINT = "notification";

export const notificationsOptions = infiniteQueryOptions({
  queryKey: keys.list,
  queryFn: ({ pageParam, signal }) =>
    api.get<NotificationList>("notifications", { query: { page: pageParam }, signal }),
  initialPageParam: 1,
  staleTime: 0,
  getNextPageParam: (last, pages) => (last.hasMore ? pages.length + 1 : undefined),
});

const unreadOptions = queryOptions({
  queryKey: keys.unread,
  queryFn: async ({ signal }) =>
    (await api.get<NotificationList>("notifications", { query: { limit: 1 }, signal })).unread,
});

/** How many are unread: what the profile says, then what the server says. */
export function useUnread(): number {
  const known = useUser()?.unreadNotifications ?? 0;
  const { data } = useQuery(unreadOptions);
  return data ?? known;
}

/** Reads them anew at every hint. One place on the page listens for all. */
export function useNotificationHints(): void {
  const client = useQueryClient();
  useEffect(
    () =>
      onHint(({ type }) => {
        if (type === HINT) void client.invalidateQueries({ queryKey: keys.all });
      }),
    [client],
  );
}

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
      toast.error(messageOf(error, "That could not be marked as read. Please try again."));
    },
    // After a success too: where the list was being read, that was broken off, and nobody else would begin it anew.
    onSettled: () => client.invalidateQueries({ queryKey: keys.all }),
  });
}
