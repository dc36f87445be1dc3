import { expect, it } from "vitest";
import { makeMessage } from "@/test/make";
import { holding, placesOf } from "./find";

it("finds words whatever their case, accents and signs", () => {
  const messages = [
    makeMessage({ _id: "1", content: '*She orders a **café** noir.* "Bitter."' }),
    makeMessage({ _id: "2", content: "Nothing here." }),
    makeMessage({ _id: "3", content: "CAFE" }),
  ];
  expect(holding(messages, " cafe ")).toEqual(["1", "3"]);
  expect(holding(messages, 'noir. "bit')).toEqual(["1"]);
  expect(holding(messages, "  ")).toEqual([]);
});

it("knows where they stand", () => {
  expect(placesOf("Café, café", "cafe")).toEqual([
    [0, 4],
    [6, 10],
  ]);
  expect(placesOf("🎭 mask", "mask")).toEqual([[3, 7]]);
  expect(placesOf("mask", "")).toEqual([]);
});
