import { infiniteQueryOptions, queryOptions, useInfiniteQuery } from "@tanstack/react-query";
import { api } from "./api/client";
import type { Plan, PlanOffer, Receipt, ReceiptList, User } from "./api/types";
import { newKey } from "./key";
import { isFree } from "./session";
import { tabKept } from "./storage";

export type Period = "monthly" | "yearly";
export type PaidPlan = Exclude<Plan, "free">;

export const isPaidPlan = (plan: Plan): plan is PaidPlan => plan !== "free";

/** What a plan costs for a period, cents. */
export const priceOf = (offer: PlanOffer, period: Period) =>
  period === "yearly" ? offer.yearlyCents : offer.monthlyCents;

export const plansOptions = queryOptions({
  queryKey: ["plans"],
  queryFn: ({ signal }) => api.get<{ plans: PlanOffer[] }>("plans", { signal }),
  select: ({ plans }) => plans,
});

export const receiptsOptions = infiniteQueryOptions({
  queryKey: ["receipts"],
  queryFn: ({ pageParam, signal }) =>
    api.get<ReceiptList>("receipts", { query: { page: pageParam }, signal }),
  initialPageParam: 1,
  getNextPageParam: (last, pages) => (last.hasMore ? pages.length + 1 : undefined),
});

/** The plan that the reader has now; past due and canceled ones last until their end. */
export const planOf = (user: User | null): Plan =>
  isFree(user) ? "free" : (user?.subscriptionPlan ?? "free");

/** The latest payment of the running plan; undefined while that is not known. */
export function useLatestPayment(user: User | null): Receipt | undefined {
  const plan = planOf(user);
  const { data } = useInfiniteQuery({ ...receiptsOptions, enabled: plan !== "free" });
  const receipts = data?.pages.flatMap((page) => page.receipts) ?? [];
  return receipts.find((receipt) => receipt.kind === "payment" && receipt.plan === plan);
}

/** Whether the running plan is paid by the month or by the year; undefined where nothing is paid. */
export const periodOf = (user: User | null): Period | undefined =>
  isFree(user) ? undefined : (user?.subscriptionPeriod ?? undefined);

export interface Order {
  plan: PaidPlan;
  period: Period;
  promoCode?: string;
}

/** The address of the payment page; a path of our own where the change waits for the end of the period. */
export const startCheckout = (order: Order) =>
  api.post<{ url: string }>("checkout", { json: order, headers: { "idempotency-key": newKey() } });

const WANTED_KEY = "checkoutPlan";

/** Remembers across the payment page which plan was being bought. Where it cannot, any active plan confirms the purchase. */
export function rememberWanted(plan: string): void {
  tabKept.setItem(WANTED_KEY, plan);
}

/** The plan that was being bought, if this tab knows. */
export const wantedPlan = (): string | null => tabKept.getItem(WANTED_KEY);

export function forgetWanted(): void {
  tabKept.removeItem(WANTED_KEY);
}
