import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Device, PlanOffer, Receipt, User } from "@/shared/api/types";
import { useRoot } from "@/shared/store";
import { makeUser } from "@/test/make";
import { renderPage, serve } from "@/test/page";
import Account from "./Account";

const offer = (plan: PlanOffer["plan"], name: string, monthlyCents: number): PlanOffer => ({
  plan,
  name,
  monthlyCents,
  yearlyCents: monthlyCents * 11,
  currency: "USD",
  messagesPerMonth: 5000,
  coinsPerMonth: 400,
  memoryTokens: 4096,
  perks: [],
});
const plans = [offer("free", "Free", 0), offer("premium", "Premium", 900), offer("deluxe", "Deluxe", 1400)];
const payment: Receipt = {
  number: "2026-000042",
  kind: "payment",
  plan: "premium",
  period: "monthly",
  amount: 900,
  currency: "USD",
  promoCode: null,
  at: "2026-11-20T10:00:00Z",
};
const IN_A_MONTH = new Date(Date.now() + 30 * 24 * 3600 * 1000).toISOString();

/** The page of somebody on Premium by the month, with changes. */
function open(changes: Partial<User> = {}, routes: Parameters<typeof serve>[0] = {}, address = "/account") {
  const user = makeUser({
    email: "wren@example.com",
    subscriptionStatus: "active",
    subscriptionPlan: "premium",
    subscriptionPeriod: "monthly",
    subscriptionEndDate: IN_A_MONTH,
    coins: { available: 390, reserved: 10 },
    ...changes,
  });
  useRoot.getState().enter(user);
  const calls = serve({
    "GET user/wren": () => ({ ...user }),
    "GET plans": () => ({ plans }),
    "GET receipts": () => ({ receipts: [payment], hasMore: false }),
    "GET coins/movements": () => ({ movements: [], hasMore: false }),
    "GET devices": () => ({ devices: [] }),
    ...routes,
  });
  renderPage(<Account />, "/account", address);
  return { user, calls };
}
/** What a decision about the subscription answers; the profile is so from then on. */
const becomes = (user: User, msg: string, changes: Partial<User>) => {
  Object.assign(user, changes);
  return { msg, user: { ...user } };
};
const posts = (calls: ReturnType<typeof serve>) =>
  calls.filter((call) => call.method === "POST").map((call) => [call.path, call.body]);

afterEach(() => vi.unstubAllGlobals());

describe("the subscription", () => {
  it("knows that it is paid by the month, and offers the year as a change", async () => {
    const { calls } = open({}, { "POST user/change-plan": () => ({ msg: "Your plan changes.", url: null }) });
    expect(await screen.findByText("Current plan")).toBeTruthy();
    await screen.findByText("No. 2026-000042");
    const change = screen.getByRole<HTMLButtonElement>("button", { name: "Change plan" });
    expect(change.disabled).toBe(true);
    await userEvent.click(screen.getByRole("button", { name: /^Yearly/ }));
    await userEvent.click(change);
    expect(posts(calls)).toEqual([["user/change-plan", { plan: "premium", period: "yearly" }]]);
  });

  it("is canceled after a question only", async () => {
    const { calls, user } = open(
      {},
      {
        "POST user/cancel-subscription": () =>
          becomes(user, "Your subscription is canceled.", { subscriptionStatus: "canceled" }),
      },
    );
    await userEvent.click(await screen.findByRole("button", { name: "Cancel Plan" }));
    const dialog = within(screen.getByRole("dialog"));
    expect(dialog.getByText("Positive? Are you sure you want to cancel your subscription?")).toBeTruthy();
    expect(posts(calls)).toEqual([]);
    await userEvent.click(dialog.getByRole("button", { name: "Cancel Plan" }));
    expect(await screen.findByRole("button", { name: "Reactivate Subscription" })).toBeTruthy();
    expect(screen.getByText(/Premium, paid monthly, ends on/)).toBeTruthy();
  });

  it("goes on again without a payment", async () => {
    const { calls, user } = open(
      { subscriptionStatus: "canceled" },
      {
        "POST user/reactivate-subscription": () =>
          becomes(user, "Welcome back.", { subscriptionStatus: "active" }),
      },
    );
    await userEvent.click(await screen.findByRole("button", { name: "Reactivate Subscription" }));
    expect(await screen.findByRole("button", { name: "Cancel Plan" })).toBeTruthy();
    expect(posts(calls)).toEqual([["user/reactivate-subscription", {}]]);
  });

  it("tells of a change that waits, and of the way back", async () => {
    open({ subscriptionPlan: "premium", nextPlan: "deluxe", nextPeriod: "yearly" });
    expect(await screen.findByText(/Deluxe, paid yearly, begins on/)).toBeTruthy();
    expect(await screen.findByRole("button", { name: "Stay with Premium" })).toBeTruthy();
  });

  it("has no days left once it has ended, whatever date it keeps", async () => {
    open({ subscriptionStatus: "inactive" });
    expect(await screen.findByText(/You are in the free seats/)).toBeTruthy();
    await userEvent.click(await screen.findByRole("button", { name: "Cancel Plan" }));
    expect(screen.getByText("You aren't subscribed!")).toBeTruthy();
  });

  it("says what could not be loaded beside what could", async () => {
    open({}, { "GET coins/movements": () => new Response("{}", { status: 500 }) });
    expect(await screen.findByText("Failed to load your coins. Please try again.")).toBeTruthy();
    expect(await screen.findByText("No. 2026-000042")).toBeTruthy();
  });
});

describe("the second step", () => {
  const heading = () => screen.getByRole("heading", { name: /Two-step login/ });

  it("is turned off, and the focus stays where it was spoken of", async () => {
    open(
      { twoStep: true },
      { "POST two-step/end": () => ({ msg: "Two-step login is off." }) },
      "/account?tab=security",
    );
    await userEvent.click(await screen.findByRole("button", { name: "Turn off" }));
    const dialog = within(screen.getByRole("dialog"));
    await userEvent.type(dialog.getByLabelText("Password"), "Prompt-box-7");
    await userEvent.type(dialog.getByLabelText("Code of the app, or a recovery code"), "123456");
    await userEvent.click(dialog.getByRole("button", { name: "Turn off" }));
    expect(await screen.findByRole("button", { name: "Turn on" })).toBeTruthy();
    await waitFor(() => expect(document.activeElement?.contains(heading())).toBe(true));
    expect(document.activeElement).not.toBe(document.body);
  });

  it("stays on where password or code is wrong, which is said beside the one that is", async () => {
    const refusals = [
      { msg: "Your current password is not right.", code: "password_wrong" },
      { msg: "That code is not right.", code: "step_code_wrong" },
    ];
    open(
      { twoStep: true },
      {
        "POST two-step/end": () =>
          new Response(JSON.stringify({ success: false, ...refusals.shift() }), { status: 400 }),
      },
      "/account?tab=security",
    );
    await userEvent.click(await screen.findByRole("button", { name: "Turn off" }));
    const dialog = within(screen.getByRole("dialog"));
    const password = dialog.getByLabelText("Password");
    const code = dialog.getByLabelText("Code of the app, or a recovery code");
    const saidOf = (field: HTMLElement) => {
      const id = field.getAttribute("aria-describedby");
      return field.getAttribute("aria-invalid") === "true" && id && document.getElementById(id)?.textContent;
    };
    await userEvent.type(password, "Not-the-one-1");
    await userEvent.type(code, "123456{Enter}");
    await waitFor(() => expect(saidOf(password)).toBe("Your current password is not right."));
    expect(saidOf(code)).toBe(false);
    await userEvent.type(code, "{Enter}");
    await waitFor(() => expect(saidOf(code)).toBe("That code is not right."));
    expect(saidOf(password)).toBe(false);
    expect(screen.getByRole("heading", { name: "Two-step login On" })).toBeTruthy();
  });

  it("makes new recovery codes once, however often they are asked for, and says what was wrong", async () => {
    let answer: (response: Response) => void = () => undefined;
    const wrong = { success: false, msg: "That code is not right.", code: "step_code_wrong" };
    const asked = () => new Promise<Response>((resolve) => (answer = resolve));
    const { calls } = open(
      { twoStep: true },
      { "POST two-step/recovery-codes": asked },
      "/account?tab=security",
    );
    await userEvent.click(await screen.findByRole("button", { name: "New recovery codes" }));
    const dialog = within(screen.getByRole("dialog"));
    const code = dialog.getByLabelText("Code of the app");
    const make = dialog.getByRole("button", { name: "Make new codes" });
    await userEvent.type(code, "123456{Enter}");
    expect(make.getAttribute("aria-busy")).toBe("true");
    await userEvent.type(code, "{Enter}");
    await userEvent.click(make);
    expect(posts(calls)).toHaveLength(1);
    answer(new Response(JSON.stringify(wrong), { status: 400 }));
    expect(await dialog.findByText("That code is not right.")).toBeTruthy();
    expect(make.getAttribute("aria-busy")).toBeNull();

    await userEvent.click(make);
    answer(new Response(JSON.stringify({ recoveryCodes: ["abcd-efgh"] })));
    expect(await dialog.findByText("abcd-efgh")).toBeTruthy();
  });

  it("gives the focus back to the button where nothing was changed", async () => {
    open({ twoStep: false }, {}, "/account?tab=security");
    const on = await screen.findByRole("button", { name: "Turn on" });
    await userEvent.click(on);
    await userEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Cancel" }));
    expect(document.activeElement).toBe(on);
  });
});

describe("the devices", () => {
  const device = (id: string, browser: string, current = false): Device => ({
    id,
    browser,
    device: "Linux",
    location: "Europe/Brussels",
    ip: "203.0.113.7",
    lastLoginTime: "2026-11-20T10:00:00Z",
    current,
  });
  /** A list of three, of which a right password keeps those that `stays` says. */
  function signedIn(path: string, stays: (device: Device) => boolean) {
    let devices = [device("d1", "Firefox", true), device("d2", "Chrome"), device("d3", "Safari")];
    return open(
      {},
      {
        "GET devices": () => ({ devices }),
        [`POST ${path}`]: ({ body }) => {
          if ((body as { password: string }).password !== "Prompt-box-7") {
            const msg = "Your current password is not right.";
            return new Response(JSON.stringify({ success: false, msg, code: "password_wrong" }), {
              status: 400,
            });
          }
          devices = devices.filter(stays);
          return { msg: "Signed out." };
        },
      },
      "/account?tab=security",
    );
  }
  const heading = () => screen.getByRole("heading", { name: "Devices" });
  const ofChrome = () => screen.queryByRole("button", { name: "Sign out Chrome on Linux" });

  it("are signed out by the password alone, and the focus stays where they were listed", async () => {
    const { calls } = signedIn("devices/d2/sign-out", ({ id }) => id !== "d2");
    await userEvent.click(await screen.findByRole("button", { name: "Sign out Chrome on Linux" }));
    const dialog = within(screen.getByRole("dialog"));
    expect(dialog.getByText("Chrome on Linux")).toBeTruthy();
    const password = dialog.getByLabelText("Password");
    await userEvent.type(password, "Not-the-one-1{Enter}");
    expect(await dialog.findByText("Your current password is not right.")).toBeTruthy();
    expect(ofChrome()).toBeTruthy();

    await userEvent.clear(password);
    await userEvent.type(password, "Prompt-box-7{Enter}");
    await waitFor(() => expect(ofChrome()).toBeNull());
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(screen.getByRole("button", { name: "Sign out Safari on Linux" })).toBeTruthy();
    expect(posts(calls)).toEqual([
      ["devices/d2/sign-out", { password: "Not-the-one-1" }],
      ["devices/d2/sign-out", { password: "Prompt-box-7" }],
    ]);
    await waitFor(() => expect(document.activeElement?.contains(heading())).toBe(true));
    expect(document.activeElement).not.toBe(document.body);
  });

  it("are signed out all together but for this one", async () => {
    const { calls } = signedIn("devices/sign-out", ({ current }) => current);
    await userEvent.click(await screen.findByRole("button", { name: "Sign out all other devices" }));
    const dialog = within(screen.getByRole("dialog"));
    expect(posts(calls)).toEqual([]);
    await userEvent.type(dialog.getByLabelText("Password"), "Prompt-box-7");
    await userEvent.click(dialog.getByRole("button", { name: "Sign out" }));
    await waitFor(() => expect(screen.queryByRole("button", { name: /^Sign out/ })).toBeNull());
    expect(posts(calls)).toEqual([["devices/sign-out", { password: "Prompt-box-7" }]]);
    expect(screen.getByText("This device")).toBeTruthy();
  });

  it("stay signed in where the question is left", async () => {
    const { calls } = signedIn("devices/d2/sign-out", () => true);
    await userEvent.click(await screen.findByRole("button", { name: "Sign out Chrome on Linux" }));
    await userEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Cancel" }));
    expect(posts(calls)).toEqual([]);
    expect(document.activeElement).toBe(ofChrome());
  });
});

it("shows on every tab that the account is to be erased, and keeps it on demand", async () => {
  const { calls } = open(
    { erasedAt: IN_A_MONTH },
    { "DELETE account/deletion": () => ({ msg: "Your account stays." }) },
  );
  await userEvent.click(await screen.findByRole("button", { name: "Keep my account" }));
  expect(calls.some((call) => call.method === "DELETE" && call.path === "account/deletion")).toBe(true);
});
