import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./errors";

/** Server data stays fresh this long, ms. */
const STALE_MS = 30_000;
const MAX_RETRIES = 2;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: STALE_MS,
        refetchOnWindowFocus: false,
        // Without a network too: the service worker answers for chats, and everything else says that it failed.
        networkMode: "always",
        // A refusal stays a refusal; only a missing answer or a busy house is worth another try.
        retry: (failures, error) =>
          failures < MAX_RETRIES && error instanceof ApiError && (error.isNetwork || error.status >= 502),
      },
      mutations: { retry: false, networkMode: "always" },
    },
  });
}

export const queryClient = createQueryClient();
