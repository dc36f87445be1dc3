import { describe, expect, it, vi } from "vitest";
import { draftKey, dropDraft, keepDraft, readDrafts, sweepDrafts } from "./drafts";
import { type CharacterForm, emptyCharacter } from "./schema";
import { cardTokens, tokensOf } from "./tokens";

const KEY = draftKey("u1", null);
const NOW = Date.parse("2026-11-21T12:00:00Z");
const wren: CharacterForm = { ...emptyCharacter, name: "Wren" };
const draft = (id: string, minutes: number, values = wren) => ({
  id,
  savedAt: NOW + minutes * 60_000,
  values,
  picture: false,
});
const ids = (now = NOW) => readDrafts(KEY, now).map(({ id }) => id);

describe("drafts of a character", () => {
  it("are kept one for each sitting, newest first, three at most", () => {
    for (const [index, id] of ["a", "b", "c", "d"].entries()) keepDraft(KEY, draft(id, index));
    expect(ids()).toEqual(["d", "c", "b"]);
    keepDraft(KEY, draft("b", 9, { ...wren, name: "Wren the second" }));
    expect(ids()).toEqual(["b", "d", "c"]);
    expect(readDrafts(KEY, NOW)[0]?.values.name).toBe("Wren the second");
    dropDraft(KEY, "d");
    expect(ids()).toEqual(["b", "c"]);
  });

  it("belong to one person and one form", () => {
    keepDraft(KEY, draft("a", 0));
    expect(readDrafts(draftKey("u2", null), NOW)).toEqual([]);
    expect(readDrafts(draftKey("u1", "c1"), NOW)).toEqual([]);
  });

  it("may lack what a finished form must have, and fields that are newer than they are", () => {
    const { nickname: _, ...older } = { ...wren, age: "17", tags: ["a", "b", "c", "d", "e", "f"] };
    localStorage.setItem(KEY, JSON.stringify([{ id: "a", savedAt: NOW, values: older, picture: true }]));
    expect(readDrafts(KEY, NOW)).toMatchObject([{ id: "a", picture: true, values: { nickname: "" } }]);
  });

  it("are left out when they are old or not ours", () => {
    const days = 24 * 60 * 60_000;
    keepDraft(KEY, draft("a", 0));
    expect(ids(NOW + 31 * days)).toEqual([]);
    localStorage.setItem(KEY, '[{"id":"x","savedAt":1,"values":{"mode":"paint"}},7]');
    expect(ids()).toEqual([]);
    localStorage.setItem(KEY, "{");
    expect(ids()).toEqual([]);
  });

  it("go when nobody came back for them, those of other forms too", () => {
    const days = 24 * 60 * 60_000;
    const other = draftKey("u1", "c1");
    keepDraft(other, draft("old", 0));
    keepDraft(KEY, { ...draft("new", 0), savedAt: NOW + 30 * days });
    expect(sweepDrafts(NOW + 31 * days)).toEqual(["new"]);
    expect(localStorage.getItem(other)).toBeNull();
  });

  it("say so where the browser keeps nothing", () => {
    const full = vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
      throw new DOMException("full", "QuotaExceededError");
    });
    expect(keepDraft(KEY, draft("a", 0))).toBe(false);
    // As long as the page lives it is there all the same.
    expect(ids()).toEqual(["a"]);
    full.mockRestore();
    dropDraft(KEY, "a");
  });
});

describe("tokens", () => {
  it("are four bytes each, as the server reckons", () => {
    expect(tokensOf("")).toBe(0);
    expect(tokensOf("  abcde ")).toBe(2);
    expect(tokensOf("éééé")).toBe(2);
  });

  it("of a card are those of every prompt", () => {
    const entry = { ...emptyCharacter.book, entries: [] };
    const card = {
      ...wren,
      firstMessage: "x".repeat(400),
      creatorNotes: "x".repeat(400),
      scenario: "x".repeat(40),
    };
    expect(cardTokens({ ...card, book: entry })).toBe(11);
  });
});
