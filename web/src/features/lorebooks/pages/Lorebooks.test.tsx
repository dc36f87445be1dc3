import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import type { Lorebook } from "@/shared/api/types";
import { useRoot } from "@/shared/store";
import { useToasts } from "@/shared/toast";
import { makeCard, makeUser } from "@/test/make";
import { type Call, renderPage, serve } from "@/test/page";
import { type Draft, emptyDraft, emptyEntry } from "../api";
import Lorebooks from "./Lorebooks";

const opera: Lorebook = {
  _id: "b1",
  name: "The old opera house",
  enabled: true,
  characterIds: ["c1"],
  entryCount: 1,
  updatedAt: "2026-11-20T07:00:00Z",
  book: {
    ...emptyDraft.book,
    tokenBudget: 300,
    entries: [
      { ...emptyEntry, name: "The fire", keys: ["fire"], content: "It burned.", secondaryKeys: ["house"] },
    ],
  },
};

function open(books = [opera]) {
  useRoot.setState({ loggedIn: true, userData: makeUser() });
  const calls = serve({
    "GET lorebooks": () => ({ lorebooks: books.map((book) => ({ ...book, book: null })) }),
    "GET lorebooks/b1": () => ({ lorebook: opera }),
    "PUT lorebooks/b1": () => ({ lorebook: opera, skipped: [] }),
    "POST lorebooks": ({ body }: Call) => {
      const made = { ...opera, _id: "b2", name: (body as Draft).name || "Fleet", entryCount: 3 };
      books = [...books, made];
      return { lorebook: made, skipped: ["“Admiral” has a regular expression that cannot be read."] };
    },
    "GET character/c1": () => ({ character: makeCard({ name: "Isolde Marchetti" }) }),
    "GET character/c2": () => ({ character: makeCard({ _id: "c2", name: "Vesper Lang" }) }),
    "GET search": () => ({ characters: [makeCard({ _id: "c2", name: "Vesper Lang" })] }),
    "DELETE lorebooks/b1": () => {
      books = [];
      return {};
    },
  });
  renderPage(<Lorebooks />, "/personas/lorebooks");
  return { calls, user: userEvent.setup() };
}
afterEach(() => vi.unstubAllGlobals());

it("changes an entry and sends the rest back as it was", async () => {
  const { user, calls } = open();
  await user.click(await screen.findByRole("button", { name: /The old opera house.*In use/ }));
  await user.click(await screen.findByText("The fire"));
  const keys = await screen.findByLabelText("Keys");
  await user.clear(keys);
  await user.type(keys, "fire, ashes");
  await user.click(screen.getByRole("checkbox", { name: "Always told" }));
  await user.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(calls.find((c) => c.method === "PUT")?.body).toEqual({
    name: opera.name,
    enabled: true,
    characterIds: ["c1"],
    book: {
      ...opera.book,
      entries: [{ ...opera.book?.entries[0], keys: ["fire", "ashes"], constant: true }],
    },
  });
});

it("makes one, but not with an entry that says nothing", async () => {
  const { user, calls } = open([]);
  await screen.findByText("Nothing written down");
  await user.click(screen.getByRole("button", { name: "New lorebook" }));
  await user.type(screen.getByLabelText("Name"), "Harbour");
  await user.click(screen.getByRole("button", { name: "Add an entry" }));
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect(screen.getByText("An entry needs a text.")).toBeTruthy();
  await user.type(screen.getByLabelText("Text"), "The lamp is lit at six.");
  await user.type(screen.getByLabelText("Keys"), "lamp");
  await user.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(calls.some((c) => c.method === "POST")).toBe(true));
  expect(await screen.findByRole("button", { name: /Harbour.*In use/ })).toBeTruthy();
});

it("imports a file and says what was left out; what is no lorebook is refused here", async () => {
  const { user, calls } = open([]);
  await screen.findByText("Nothing written down");
  const picker = document.querySelector<HTMLInputElement>("input[type=file]") as HTMLInputElement;
  await user.upload(picker, new File(["not json"], "notes.json", { type: "application/json" }));
  await waitFor(() => expect(useToasts.getState().toasts[0]?.text).toContain("no lorebook"));
  await user.upload(picker, new File(['{"entries":{}}'], "fleet.json", { type: "application/json" }));
  await waitFor(() =>
    expect(useToasts.getState().toasts.map((t) => t.text)).toContain("fleet: 3 entries brought in"),
  );
  expect(calls.find((c) => c.method === "POST")?.body).toEqual({ name: "fleet", import: { entries: {} } });
  expect(useToasts.getState().toasts.at(-1)?.text).toContain("Admiral");
});

it("deletes, and makes it again as it was", async () => {
  const { user, calls } = open();
  await user.click(await screen.findByRole("button", { name: "Delete The old opera house" }));
  expect(await screen.findByText("Nothing written down")).toBeTruthy();
  await waitFor(() => expect(useToasts.getState().toasts.at(-1)?.text).toBe("The old opera house deleted"));
  useToasts.getState().toasts.at(-1)?.action?.run();
  expect(await screen.findByRole("button", { name: /The old opera house.*In use/ })).toBeTruthy();
  const { name, enabled, characterIds, book } = opera;
  expect(calls.find((c) => c.method === "POST")?.body).toEqual({ name, enabled, characterIds, book });
});

it("says when an entry is told, to whom, and how much room it may take", async () => {
  const { user, calls } = open();
  await user.click(await screen.findByRole("button", { name: /The old opera house.*In use/ }));
  expect(await screen.findByText("Isolde Marchetti")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Not for Isolde Marchetti" }));
  await user.type(screen.getByPlaceholderText("A character's name"), "vesper");
  await user.click(await screen.findByRole("button", { name: "Vesper Lang" }));
  await user.clear(screen.getByLabelText("Token budget"));
  await user.type(screen.getByLabelText("Token budget"), "500");
  await user.click(screen.getByText("The fire"));
  await user.selectOptions(screen.getByLabelText("Logic"), "but none of these");
  await user.type(screen.getByLabelText("Secondary keys"), ", garden");
  await user.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(calls.some((c) => c.method === "PUT")).toBe(true));
  const sent = calls.find((c) => c.method === "PUT")?.body as Draft;
  expect(sent.characterIds).toEqual(["c2"]);
  expect(sent.book.tokenBudget).toBe(500);
  expect(sent.book.entries[0]).toMatchObject({ logic: "notAny", secondaryKeys: ["house", "garden"] });
});
