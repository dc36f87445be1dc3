import { describe, expect, it } from "vitest";
import { makeCard } from "@/test/make";
import { inOrder } from "./feed";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const old = makeCard({ _id: "old", likes: 90, chats: 1, messages: 5, createdAt: "2026-01-01T00:00:00Z" });
const hit = makeCard({ _id: "hit", likes: 50, chats: 2, messages: 9, createdAt: "2026-11-01T00:00:00Z" });
const fresh = makeCard({ _id: "fresh", likes: 10, chats: 3, messages: 7, createdAt: "2026-11-20T00:00:00Z" });

describe("the feed of followed creators", () => {
  it.each([
    ["Popular", ["fresh", "hit", "old"]],
    ["Trending", ["hit", "fresh", "old"]],
    ["Recent Hits", ["hit", "fresh", "old"]],
    ["Most Liked", ["old", "hit", "fresh"]],
    ["New", ["fresh", "hit", "old"]],
  ] as const)("is ordered by %s", (sort, ids) =>
    expect(inOrder([old, fresh, hit], sort, NOW).map((c) => c._id)).toEqual(ids),
  );
});
