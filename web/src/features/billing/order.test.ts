import { describe, expect, it } from "vitest";
import type { PlanOffer } from "@/shared/api/types";
import { isPromoCode, orderOf, renewalDay } from "./order";

const deluxe: PlanOffer = {
  plan: "deluxe",
  name: "Deluxe",
  monthlyCents: 1400,
  yearlyCents: 14_900,
  currency: "USD",
  messagesPerMonth: 20_000,
  coinsPerMonth: 1200,
  memoryTokens: 8192,
  perks: [],
};

describe("the order", () => {
  it("takes 70% off the first payment", () => {
    expect(orderOf(deluxe, "yearly", true)).toEqual({
      priceCents: 14_900,
      discountCents: 10_430,
      totalCents: 4470,
    });
    expect(orderOf(deluxe, "monthly", false)).toEqual({
      priceCents: 1400,
      discountCents: 0,
      totalCents: 1400,
    });
  });
  it("knows its code however it is typed", () => {
    expect(isPromoCode(" spookyszn ")).toBe(true);
    expect(isPromoCode("SPOOKY")).toBe(false);
  });
  it("renews a year or a month later", () => {
    const now = new Date("2026-11-21T12:00:00");
    expect(renewalDay("yearly", now).toDateString()).toBe("Sun Nov 21 2027");
    expect(renewalDay("monthly", now).toDateString()).toBe("Mon Dec 21 2026");
  });
});
