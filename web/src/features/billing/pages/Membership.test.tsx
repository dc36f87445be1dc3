import { fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { PlanOffer } from "@/shared/api/types";
import { useRoot } from "@/shared/store";
import { useToasts } from "@/shared/toast";
import { makeUser } from "@/test/make";
import { renderPage, serve } from "@/test/page";
import Membership from "./Membership";

const offer = (plan: PlanOffer["plan"], name: string, monthlyCents: number): PlanOffer => ({
  plan,
  name,
  monthlyCents,
  yearlyCents: monthlyCents * 11,
  currency: "USD",
  messagesPerMonth: 5000,
  coinsPerMonth: 400,
  memoryTokens: 4096,
  perks: ["Creator badge", "Voice (soon)"],
});
const plans = [offer("free", "Free", 0), offer("premium", "Premium", 900), offer("deluxe", "Deluxe", 1400)];
const house = (routes: Parameters<typeof serve>[0] = {}) =>
  serve({
    "GET plans": () => ({ plans }),
    "GET receipts": () => ({ receipts: [], hasMore: false }),
    "GET characters/featured": () => ({ characters: [] }),
    "GET characters/trending": () => ({ characters: [] }),
    ...routes,
  });

afterEach(() => vi.unstubAllGlobals());

describe("the membership", () => {
  it("makes its claims to a visitor, takes the code off, and leads to the login", async () => {
    house();
    renderPage(<Membership />, "/membership");
    for (const claim of ["4.8/5", "100k+", "2400+"]) expect(screen.getByText(claim)).toBeTruthy();
    await userEvent.click(await screen.findByRole("button", { name: "Monthly" }));
    expect(screen.getByText("$2.70")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: /Deluxe/ }));
    expect(screen.getByText("$4.20")).toBeTruthy();
    await userEvent.clear(screen.getByLabelText("Promo code"));
    await userEvent.type(screen.getByLabelText("Promo code"), "PUMPKIN{Enter}");
    expect(screen.getByText("We don't know this code. Check its letters.")).toBeTruthy();
    expect(screen.queryByText("$4.20")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Login to continue" }));
    expect(screen.getByTestId("elsewhere").textContent).toBe('/login {"redirectPath":"/membership"}');
  });

  it("says so when the plans cannot be loaded, and loads them on demand", async () => {
    let down = true;
    house({ "GET plans": () => (down ? new Response("{}", { status: 500 }) : { plans }) });
    renderPage(<Membership />, "/membership");
    expect(await screen.findByText("The plans could not be loaded.")).toBeTruthy();
    down = false;
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByRole("heading", { name: "Your order" })).toBeTruthy();
  });

  it("lets somebody order anew who has come back from the till by Back", async () => {
    useRoot.getState().enter(makeUser({ subscriptionStatus: "inactive" }));
    house({ "POST checkout": () => ({ url: "#till" }) });
    renderPage(<Membership />, "/membership");
    const order = await screen.findByRole("button", { name: "Go to checkout" });
    await userEvent.click(order);
    await waitFor(() => expect(globalThis.location.hash).toBe("#till"));
    expect(order.getAttribute("aria-busy")).toBe("true");
    fireEvent(window, Object.assign(new Event("pageshow"), { persisted: true }));
    expect(order.getAttribute("aria-busy")).toBeNull();
  });

  it("welcomes who comes back from the payment once the profile confirms it", async () => {
    const user = makeUser({ subscriptionStatus: "inactive" });
    useRoot.getState().enter(user);
    let asked = 0;
    house({
      "GET user/wren": () => {
        asked += 1;
        return asked === 1
          ? { ...user }
          : { ...user, subscriptionStatus: "active", subscriptionPlan: "premium" };
      },
    });
    renderPage(<Membership />, "/membership", "/membership?code=abc");
    expect(screen.getByRole("status", { name: "" }).textContent).toContain("Waiting for your membership");
    await waitFor(
      () =>
        expect(useToasts.getState().toasts.map(({ text }) => text)).toEqual([
          "Welcome to Troupe. Checkout was successful!",
        ]),
      { timeout: 5000 },
    );
    expect(await screen.findByRole("button", { name: /Premium.*Your seat/s })).toBeTruthy();
  });
});
