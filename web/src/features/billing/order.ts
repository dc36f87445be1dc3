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
