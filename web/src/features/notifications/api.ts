import { infiniteQueryOptions, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { api } from "@/shared/api/client";
import type { NotificationList } from "@/shared/api/types";
import { onHint } from "@/shared/hints";
import { useUser } from "@/shared/store";

export const keys = {
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
