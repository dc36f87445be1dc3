import { infiniteQueryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import type { Movement, MovementList, Receipt, WithdrawalOffer } from "@/shared/api/types";
import { refreshProfile } from "@/shared/session";
import type { Said } from "./api";
import { messages } from "./i18n";

const keys = { movements: ["coins", "movements"], receipts: ["receipts"] } as const;

export const movementsOptions = infiniteQueryOptions({
  queryKey: keys.movements,
  queryFn: ({ pageParam, signal }) =>
    api.get<MovementList>("coins/movements", { query: { page: pageParam }, signal }),
  initialPageParam: 1,
  getNextPageParam: (last, pages) => (last.hasMore ? pages.length + 1 : undefined),
});

/** Everything that a payment, a refund or a picture moves. */
export function useMoneyMoved() {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ["coins"] }),
      client.invalidateQueries({ queryKey: keys.receipts }),
    ]);
}

export const useBeginWithdrawal = () =>
  useMutation({ mutationFn: () => api.post<WithdrawalOffer>("user/withdrawal") });

export function useConfirmWithdrawal() {
  const moved = useMoneyMoved();
  return useMutation({
    mutationFn: (id: string) => api.post<Said & { receipt: Receipt }>(`user/withdrawal/${id}`),
    onSuccess: async () => {
      await Promise.all([moved(), refreshProfile().catch(() => undefined)]);
    },
  });
}

/** A movement of coins in words: what happened, what for, and what it did to the coins one can spend. */
export function movementWords({ kind, reason, available, reserved }: Movement) {
  const t = messages("coins");
  return {
    what: t("what", { reason }),
    how: t("how", { kind }),
    // What is spent was set aside before: what one can spend does not change.
    change: available === 0 && reserved < 0 ? null : available,
    setAside: -reserved,
  };
}
