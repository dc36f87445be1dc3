import { expect, it } from "vitest";
import { marked } from "./marks";

const texts = (snippet: string, marks: { start: number; end: number }[]) =>
  marked({ snippet, marks }).map(({ text, marked: on }) => (on ? `[${text}]` : text));

it("cuts a snippet at its marks, in any order", () => {
  expect(
    texts("the glove and the orange", [
      { start: 18, end: 24 },
      { start: 4, end: 9 },
    ]),
  ).toEqual(["the ", "[glove]", " and the ", "[orange]"]);
});

it("counts as JavaScript does, beyond the first plane as well", () => {
  expect(texts("🎭 mask", [{ start: 3, end: 7 }])).toEqual(["🎭 ", "[mask]"]);
});

it("takes no harm from marks that overlap or lie outside", () => {
  expect(
    texts("abcdef", [
      { start: 0, end: 3 },
      { start: 2, end: 4 },
      { start: 5, end: 99 },
      { start: 200, end: 300 },
    ]),
  ).toEqual(["[abc]", "[d]", "e", "[f]"]);
});
