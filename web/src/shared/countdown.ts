import { brand } from "@/brand";
import { browserKept } from "./storage";

/** Where the end of the discount window is kept, in ms since the epoch. */
export const DISCOUNT_KEY = "discountEndsAt";

/** When the window ends: the stored time, or a new window from `now` where none is stored or it has passed. */
export function discountEnd(now: number): number {
  const stored = Number(browserKept.getItem(DISCOUNT_KEY));
  // A stored time further off than a whole window was not written by us.
  if (stored > now && stored <= now + brand.promo.windowMs) return stored;
  const end = now + brand.promo.windowMs;
  browserKept.setItem(DISCOUNT_KEY, String(end));
  return end;
}

export interface Remaining {
  hours: number;
  minutes: number;
  seconds: number;
}

/** Splits what is left into clock cells; never below zero. */
export function remaining(endMs: number, nowMs: number): Remaining {
  const total = Math.max(0, Math.ceil((endMs - nowMs) / 1000));
  return { hours: Math.floor(total / 3600), minutes: Math.floor((total % 3600) / 60), seconds: total % 60 };
}

export const twoDigits = (value: number) => value.toString().padStart(2, "0");
