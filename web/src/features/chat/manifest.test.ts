import { describe, expect, it } from "vitest";
import type { PromptBlock, PromptManifest } from "@/shared/api/types";
import { barOf, blockNote, entryNote } from "./manifest";

const block = (name: string, tokens: number, change: Partial<PromptBlock> = {}): PromptBlock => ({
  block: name,
  title: name,
  tokens,
  included: tokens > 0,
  why: null,
  parts: null,
  dropped: null,
  entries: [],
  ...change,
});

describe("what the character sees", () => {
  it("adds the blocks up to few parts and leaves out what is empty", () => {
    const blocks = [
      block("system", 100),
      block("description", 400),
      block("pinned", 20),
      block("lore", 30),
      block("history", 1100, { parts: 22 }),
      block("something_new", 5),
    ];
    const bar = barOf({ blocks } as PromptManifest, "Isolde", "Wren");
    expect(bar.map(({ name, tokens }) => [name, tokens])).toEqual([
      ["Isolde's card", 505],
      ["Memory and lore", 50],
      ["The last 22 messages", 1100],
    ]);
  });

  it("says why a block is not whole", () => {
    expect(blockNote(block("history", 9))).toBeNull();
    expect(blockNote(block("history", 9, { why: "budget", dropped: 18 }))).toBe(
      "The oldest no longer fit. 18 left out.",
    );
    expect(blockNote(block("lore", 0, { why: "budget", dropped: 1 }))).toBe("Left out: there was no room.");
    expect(blockNote(block("description", 9, { why: "card_cut" }))).toContain("too long");
  });

  it("says why an entry is not there", () => {
    const entry = { id: "card", title: null, tokens: 3, included: false, text: null };
    expect(entryNote({ ...entry, why: "bad_regex" })).toContain("regular expression");
    expect(entryNote({ ...entry, included: true, why: null })).toBeNull();
  });
});
