import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import { messageOf } from "@/shared/api/errors";
import type { HeldOne, HeldQueue, WaitingImages } from "@/shared/api/types";
import { toast } from "@/shared/toast";
import { messages } from "./i18n";

/** Most that reasons hold, characters. */
export const MAX_REASONS_CHARS = 5000;

const keys = { held: ["admin", "held"], images: ["admin", "images"] } as const;

/** What waits is asked for anew each time: another moderator may have been here. */
const paged = {
  initialPageParam: 1,
  staleTime: 0,
  getNextPageParam: (last: { hasMore: boolean }, pages: readonly unknown[]) =>
    last.hasMore ? pages.length + 1 : undefined,
};

export const heldOptions = infiniteQueryOptions({
  ...paged,
  queryKey: keys.held,
  queryFn: ({ pageParam, signal }) =>
    api.get<HeldQueue>("admin/held", { query: { page: pageParam }, signal }),
});

/** One of the queue, with all that is written in it. */
export const heldOneOptions = (id: string) =>
  queryOptions({
    queryKey: [...keys.held, id],
    queryFn: ({ signal }) => api.get<HeldOne>(`admin/held/${id}`, { signal }),
    staleTime: 0,
  });

export const waitingOptions = infiniteQueryOptions({
  ...paged,
  queryKey: keys.images,
  queryFn: ({ pageParam, signal }) =>
    api.get<WaitingImages>("admin/images", { query: { page: pageParam }, signal }),
});

export interface Decision {
  id: string;
  approve: boolean;
  /** Needed for a refusal. */
  reasons: string;
  /** Of what was read, for texts. */
  digest?: string;
}

function useDecide(path: string, words: { yes: string; no: string }, queryKey: readonly string[]) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, approve, reasons, digest }: Decision) =>
      api.post<{ msg: string }>(`${path}/${id}`, {
        json: { decision: approve ? words.yes : words.no, reasons, digest },
      }),
    onSuccess: ({ msg }) => toast.success(msg),
    onError: (error) => toast.error(messageOf(error, messages("queue")("notKept"))),
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
}

export const useDecideHeld = () => useDecide("admin/held", { yes: "approve", no: "remove" }, keys.held);
export const useDecideImage = () => useDecide("admin/images", { yes: "pass", no: "refuse" }, keys.images);
