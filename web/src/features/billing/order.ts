import { brand } from "@/brand";
import type { PlanOffer } from "@/shared/api/types";
import { type Period, priceOf } from "@/shared/plans";

export interface Order {
  /** Price before any code, cents. */
  priceCents: number;
  discountCents: number;
  totalCents: number;
}

export const isPromoCode = (code: string) => code.trim().toUpperCase() === brand.promo.code;

/** What is paid today; the code takes its share off the first payment, rounded down to a cent in the buyer's favour. */
export function orderOf(offer: PlanOffer, period: Period, withCode: boolean): Order {
  const priceCents = priceOf(offer, period);
  const totalCents = withCode ? Math.floor((priceCents * (100 - brand.promo.percentOff)) / 100) : priceCents;
  return { priceCents, discountCents: priceCents - totalCents, totalCents };
}

/** The day on which the next payment is due if one buys at `now`. */
export function renewalDay(period: Period, now: Date): Date {
  const day = new Date(now);
  if (period === "yearly") day.setFullYear(day.getFullYear() + 1);
  else day.setMonth(day.getMonth() + 1);
  return day;
}

const WANTED_KEY = "checkoutPlan";

/** Remembers across the payment page which plan was being bought. */
export function rememberWanted(plan: string): void {
  try {
    sessionStorage.setItem(WANTED_KEY, plan);
  } catch {
    // Without it, any active plan confirms the purchase.
  }
}

/** The plan that was being bought, if this tab knows. */
export function wantedPlan(): string | null {
  try {
    return sessionStorage.getItem(WANTED_KEY);
  } catch {
    return null;
  }
}

export function forgetWanted(): void {
  try {
    sessionStorage.removeItem(WANTED_KEY);
  } catch {
    // Nothing was stored.
  }
}
