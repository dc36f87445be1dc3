import { queryOptions } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import type { PlanOffer } from "@/shared/api/types";
import { newKey } from "@/shared/key";

export type Period = "monthly" | "yearly";
export type PaidPlan = "premium" | "deluxe";

export const plansOptions = queryOptions({
  queryKey: ["plans"],
  queryFn: ({ signal }) => api.get<{ plans: PlanOffer[] }>("plans", { signal }),
  select: ({ plans }) => plans,
});

export const startCheckout = (order: { plan: PaidPlan; period: Period; promoCode?: string }) =>
  api.post<{ url: string }>("checkout", { json: order, headers: { "idempotency-key": newKey() } });
