import { expect, it } from "vitest";
import { emptyEntry, faultOf, keysOf, keyText } from "./api";

it("reads keys between commas, and regular expressions line by line", () => {
  expect(keysOf(" fire, ashes ,, 1871\nburn", false)).toEqual(["fire", "ashes", "1871", "burn"]);
  expect(keysOf("fire{1,3}\n\nash(es)?", true)).toEqual(["fire{1,3}", "ash(es)?"]);
  expect(keyText(["fire{1,3}", "ash"], true)).toBe("fire{1,3}\nash");
});

it("wants a text, and a key unless it is told always", () => {
  expect(faultOf(emptyEntry)).toBe("An entry needs a text.");
  expect(faultOf({ ...emptyEntry, content: "It burned." })).toContain("key");
  expect(faultOf({ ...emptyEntry, content: "It burned.", constant: true })).toBeNull();
});
