import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { CharacterCard } from "@/shared/api/types";
import { useRoot } from "@/shared/store";
import { useToasts } from "@/shared/toast";
import { makeCard, makeUser } from "@/test/make";
import { readAgain, renderPage, serve } from "@/test/page";
import MyCharacters from "./MyCharacters";

const me = makeUser();
const own = (changes: Partial<CharacterCard> = {}) =>
  makeCard({ creator: { _id: me._id, username: me.username, pfp: null }, ...changes });

/** A server that keeps one character, deletes it and brings it back. */
function stage() {
  let deleted = false;
  return serve({
    "GET characters/tag/me": () => ({ characters: deleted ? [] : [own()], hasMore: false }),
    "GET characters/deleted": () => ({
      characters: deleted ? [{ character: own(), erasedAt: "2026-12-21T10:00:00Z" }] : [],
    }),
    "DELETE characters/c1": () => {
      deleted = true;
      return { success: true, erasedAt: "2026-12-21T10:00:00Z" };
    },
    "POST characters/c1/restore": () => {
      deleted = false;
      return { success: true };
    },
  });
}

beforeEach(() => useRoot.getState().enter(me));
afterEach(() => vi.unstubAllGlobals());

describe("my characters", () => {
  it("go at once, and come back by Undo", async () => {
    stage();
    renderPage(<MyCharacters />, "/my-characters");
    await userEvent.click(await screen.findByRole("button", { name: "Delete Vesper Lang" }));
    await waitFor(() => expect(screen.queryByRole("button", { name: "Delete Vesper Lang" })).toBeNull());
    await waitFor(() => expect(useToasts.getState().toasts[0]?.text).toBe("Vesper Lang is deleted."));
    useToasts.getState().toasts[0]?.action?.run();
    expect(await screen.findByRole("button", { name: "Delete Vesper Lang" })).toBeTruthy();
  });

  it("can be restored until they are erased", async () => {
    stage();
    renderPage(<MyCharacters />, "/my-characters");
    await userEvent.click(await screen.findByRole("button", { name: "Delete Vesper Lang" }));
    expect(await screen.findByText("Kept until 21 December 2026, then erased.")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Restore Vesper Lang" }));
    expect(await screen.findByRole("button", { name: "Delete Vesper Lang" })).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole("heading", { name: "Deleted" })).toBeNull());
  });

  it("keep those to restore in sight where their list cannot be read again", async () => {
    let up = true;
    serve({
      "GET characters/tag/me": () => ({ characters: [], hasMore: false }),
      "GET characters/deleted": () =>
        up
          ? { characters: [{ character: own(), erasedAt: "2026-12-21T10:00:00Z" }] }
          : new Response("{}", { status: 500 }),
    });
    const { client } = renderPage(<MyCharacters />, "/my-characters");
    await screen.findByRole("button", { name: "Restore Vesper Lang" });
    up = false;
    await readAgain(client);
    expect(screen.getByRole("button", { name: "Restore Vesper Lang" })).toBeTruthy();
    expect(screen.queryByText("Your deleted characters could not be loaded.")).toBeNull();
  });

  it("stay where they could not be deleted", async () => {
    serve({
      "GET characters/tag/me": () => ({ characters: [own()], hasMore: false }),
      "GET characters/deleted": () => ({ characters: [] }),
      "DELETE characters/c1": () => new Response("{}", { status: 500 }),
    });
    renderPage(<MyCharacters />, "/my-characters");
    await userEvent.click(await screen.findByRole("button", { name: "Delete Vesper Lang" }));
    await waitFor(() => expect(useToasts.getState().toasts[0]?.text).toMatch(/could not be deleted/));
    expect(screen.getByRole("button", { name: "Delete Vesper Lang" })).toBeTruthy();
  });

  it("say who sees them, and why others do not", async () => {
    serve({
      "GET characters/tag/me": () => ({
        characters: [
          own({ heldBecause: "A real person's name." }),
          own({ _id: "c2", name: "Roz", public: false }),
          own({ _id: "c3", name: "Ida", nsfw: true, locked: true }),
        ],
        hasMore: false,
      }),
      "GET characters/deleted": () => ({ characters: [] }),
    });
    renderPage(<MyCharacters />, "/my-characters");
    expect(await screen.findByText("Waits for a look")).toBeTruthy();
    expect(screen.getByText("A real person's name.")).toBeTruthy();
    expect(screen.getByText("Only you see it")).toBeTruthy();
    // Behind the curtain one's own still has a name.
    expect(screen.getByText("Ida")).toBeTruthy();
  });
});
