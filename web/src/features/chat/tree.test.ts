import { expect, it } from "vitest";
import type { MapNode } from "@/shared/api/types";
import { branchesOf, rowsOf } from "./tree";

const node = (id: string, parentId: string | null): MapNode => ({
  _id: id,
  parentId,
  senderType: "character",
  preview: id,
  state: "complete",
  edited: false,
  createdAt: "2026-11-01T10:00:00Z",
  variants: 1,
  depth: 1,
});

it("gathers a chat into stretches between its forks", () => {
  const nodes = [
    node("g", null),
    node("u1", "g"),
    node("r1", "u1"),
    node("r2", "u1"),
    node("u2", "r2"),
    node("r3", "u2"),
  ];
  const [root, ...others] = branchesOf(nodes, "r3");
  expect(others).toEqual([]);
  expect(root).toMatchObject({ count: 2, shown: true, here: false });
  expect(
    root?.next.map(({ first, last, count, shown, here }) => [first._id, last._id, count, shown, here]),
  ).toEqual([
    ["r1", "r1", 1, false, false],
    ["r2", "r3", 3, true, true],
  ]);
  expect(rowsOf(branchesOf(nodes, "r3")).map(({ branch, depth }) => [branch.first._id, depth])).toEqual([
    ["g", 0],
    ["r1", 1],
    ["r2", 0],
  ]);
});

it("takes several greetings, long chats and missing parents", () => {
  const long = Array.from({ length: 5000 }, (_, at) => node(`m${at}`, at === 0 ? null : `m${at - 1}`));
  expect(
    branchesOf([...long, node("other", null), node("lost", "gone")], "m4999").map(({ count }) => count),
  ).toEqual([5000, 1, 1]);
  // The path may end in the middle of a stretch.
  expect(branchesOf(long, "m10")[0]).toMatchObject({ shown: true, here: true });
});
