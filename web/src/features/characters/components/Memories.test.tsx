import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Memory } from "@/shared/api/types";
import { useRoot } from "@/shared/store";
import { useToasts } from "@/shared/toast";
import { makeUser } from "@/test/make";
import { renderPage, serve } from "@/test/page";
import { Memories } from "./Memories";

const memory = (changes: Partial<Memory> = {}): Memory => ({
  _id: "m1",
  characterId: "c1",
  chatId: "t1",
  scope: "chat",
  kind: "fact",
  text: "You take your coffee black.",
  importance: 3,
  pinned: false,
  edited: false,
  sourceIds: [],
  createdAt: "2026-11-02T10:00:00Z",
  ...changes,
});
const show = () => renderPage(<Memories character={{ _id: "c1", name: "Vesper" }} />, "/");

afterEach(() => vi.unstubAllGlobals());

describe("what a character remembers", () => {
  /** A server that keeps one memory and one chat. */
  const keep = (memories: Memory[]) =>
    serve({
      "GET memories": () => ({ success: true, memories, total: 1, page: 1, totalPages: 1, hasMore: false }),
      "GET chats": () => [
        { _id: "t1", title: "The rain night", character: {}, createdAt: "2026-11-01T10:00:00Z" },
      ],
      "PUT memories/m1": ({ body }) => {
        memories[0] = { ...memory(), ...memories[0], ...(body as object) };
        return { success: true, memory: memories[0] };
      },
      "DELETE memories/m1": () => {
        memories.length = 0;
        return { success: true };
      },
    });

  it("is for those who are logged in", () => {
    const calls = keep([memory()]);
    show();
    expect(screen.getByRole("link", { name: "Login" })).toBeTruthy();
    expect(calls).toEqual([]);
  });

  it("says so while there is nothing", async () => {
    useRoot.getState().enter(makeUser());
    keep([]);
    show();
    expect(await screen.findByText("Nothing remembered yet")).toBeTruthy();
  });

  it("is read with its chat, pinned, put right and forgotten", async () => {
    useRoot.getState().enter(makeUser());
    const memories = [memory()];
    const calls = keep(memories);
    // The names of chats that were put away come from a second call; the fake answers both alike.
    show();
    expect(await screen.findByText("You take your coffee black.")).toBeTruthy();
    expect(await screen.findByRole("link", { name: "The rain night" })).toBeTruthy();
    expect(calls.find((call) => call.path === "memories")?.query.get("characterId")).toBe("c1");

    await userEvent.click(screen.getByRole("button", { name: /^Pin/ }));
    expect(await screen.findByRole("button", { name: "Unpin", pressed: true })).toBeTruthy();

    await userEvent.click(screen.getByRole("button", { name: "Edit" }));
    const text = screen.getByLabelText("What is remembered");
    await userEvent.clear(text);
    await userEvent.type(text, "You take your tea black.");
    await userEvent.click(within(screen.getByRole("group", { name: "Importance" })).getByText("5"));
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByText("You take your tea black.")).toBeTruthy();
    expect(screen.getByText("Importance 5 of 5")).toBeTruthy();
    expect(calls.filter((call) => call.method === "PUT").map((call) => call.body)).toEqual([
      { pinned: true },
      { text: "You take your tea black.", importance: 5 },
    ]);

    await userEvent.click(screen.getByRole("button", { name: "Forget" }));
    await userEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Forget" }));
    expect(await screen.findByText("Nothing remembered yet")).toBeTruthy();
    expect(calls.some((call) => call.method === "DELETE")).toBe(true);
  });

  it("comes back, with a word why, where the server refuses a change", async () => {
    useRoot.getState().enter(makeUser());
    serve({
      "GET memories": () => ({
        success: true,
        memories: [memory()],
        total: 1,
        page: 1,
        totalPages: 1,
        hasMore: false,
      }),
      "PUT memories/m1": () =>
        new Response(JSON.stringify({ msg: "That cannot be kept.", code: "moderated" }), { status: 422 }),
    });
    show();
    await userEvent.click(await screen.findByRole("button", { name: /^Pin/ }));
    await waitFor(() =>
      expect(useToasts.getState().toasts.map((toast) => toast.text)).toEqual(["That cannot be kept."]),
    );
    expect(screen.getByRole("button", { name: /^Pin/, pressed: false })).toBeTruthy();
  });
});
