import { describe, expect, it } from "vitest";
import { makeCard } from "@/test/make";
import { MAX_ROWS, rank } from "./ranking";

const by = (username: string, messages: number) =>
  makeCard({ creator: { _id: username, username, pfp: null }, messages });

describe("the ranking", () => {
  it("adds up each creator's characters, largest first", () => {
    const rows = rank([by("ann", 5), by("bea", 8), by("ann", 4)], (c) => c.messages);
    expect(rows.map((row) => [row.creator.username, row.score, row.characters])).toEqual([
      ["ann", 9, 2],
      ["bea", 8, 1],
    ]);
  });

  it("stops at its last row", () => {
    const many = Array.from({ length: 40 }, (_, i) => by(`c${i}`, i));
    expect(rank(many, (c) => c.messages)).toHaveLength(MAX_ROWS);
  });
});
