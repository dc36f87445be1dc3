import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Notification } from "@/shared/api/types";
import { renderPage, serve } from "@/test/page";
import Notifications from "./Notifications";

const note = (changes: Partial<Notification>): Notification => ({
  _id: "n1",
  kind: "follower",
  text: "velvetfox follows you.",
  link: "/creator/velvetfox",
  read: false,
  createdAt: "2026-11-20T10:00:00Z",
  ...changes,
});

/** A server that keeps what is read. */
function house(notes: Notification[]) {
  const unread = () => notes.filter(({ read }) => !read).length;
  return serve({
    "GET notifications": () => ({ notifications: notes, unread: unread(), hasMore: false }),
    "POST notifications/read": ({ body }) => {
      const ids = (body as { ids: string[] }).ids;
      for (const one of notes) if (ids.length === 0 || ids.includes(one._id)) one.read = true;
      return { unread: unread() };
    },
  });
}

afterEach(() => vi.unstubAllGlobals());

describe("notifications", () => {
  it("are read by being followed", async () => {
    const calls = house([note({}), note({ _id: "n2", text: "Your image is ready.", link: "/my-images" })]);
    renderPage(<Notifications />, "/notifications");
    expect(await screen.findByText("2 unread")).toBeTruthy();
    await userEvent.click(await screen.findByRole("link", { name: /velvetfox follows you/ }));
    expect(screen.getByTestId("elsewhere").textContent).toContain("/creator/velvetfox");
    expect(calls.find((call) => call.method === "POST")?.body).toEqual({ ids: ["n1"] });
  });

  it("are all read at once", async () => {
    house([note({}), note({ _id: "n2" })]);
    renderPage(<Notifications />, "/notifications");
    await screen.findAllByText("New");
    await userEvent.click(screen.getByRole("button", { name: "Mark all as read" }));
    expect(await screen.findByText("You have seen them all.")).toBeTruthy();
    expect(screen.queryByText("New")).toBeNull();
  });

  it("are shown although they were all read before they had come", async () => {
    house([note({})]);
    const answer = globalThis.fetch;
    let asked = 0;
    // The first time the list is asked for, it stays away.
    vi.stubGlobal("fetch", (address: string, init: RequestInit) =>
      address.includes("page=1") && asked++ === 0 ? new Promise(() => {}) : answer(address, init),
    );
    renderPage(<Notifications />, "/notifications");
    await userEvent.click(await screen.findByRole("button", { name: "Mark all as read" }));
    expect(await screen.findByText("velvetfox follows you.")).toBeTruthy();
    expect(screen.queryByText("New")).toBeNull();
  });

  it("lead nowhere but into the house", async () => {
    house([note({ link: "https://elsewhere.example.com/", read: true })]);
    renderPage(<Notifications />, "/notifications");
    await screen.findByText("velvetfox follows you.");
    expect(screen.queryByRole("link")).toBeNull();
  });

  it("say so when there are none", async () => {
    house([]);
    renderPage(<Notifications />, "/notifications");
    expect(await screen.findByText("Nothing has happened yet")).toBeTruthy();
  });
});
