import { expect, it } from "vitest";
import { draftOf, emptyDraft, emptyEntry, keysOf, keyText } from "./api";
import { type EntryForm, filled, formOf, lorebookSchema, newEntry } from "./form";

it("reads keys between commas, and regular expressions line by line", () => {
  expect(keysOf(" fire, ashes ,, 1871\nburn", false)).toEqual(["fire", "ashes", "1871", "burn"]);
  expect(keysOf("fire{1,3}\n\nash(es)?", true)).toEqual(["fire{1,3}", "ash(es)?"]);
  expect(keyText(["fire{1,3}", "ash"], true)).toBe("fire{1,3}\nash");
});

/** What is wrong with a book of one such entry. */
const faults = (entry: Partial<EntryForm>, book = {}) => {
  const form = { ...formOf(emptyDraft), name: "Harbour", entries: [{ ...newEntry, ...entry }], ...book };
  const read = lorebookSchema.safeParse(form);
  return read.success ? [] : read.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
};

it("wants a name, a text, and a key unless it is told always", () => {
  expect(faults({})).toEqual(["entries.0.content: needsText"]);
  expect(faults({ content: "It burned." })).toEqual(["entries.0.keys: needsKey"]);
  expect(faults({ content: "It burned.", keys: " , " })).toEqual(["entries.0.keys: needsKey"]);
  expect(faults({ content: "It burned.", constant: true })).toEqual([]);
  expect(faults({ content: "It burned.", keys: "fire" }, { name: "  " })).toEqual(["name: needsName"]);
});

it("takes whole numbers within their bounds, or none", () => {
  const good = { content: "It burned.", keys: "fire" };
  expect(faults({ ...good, scanDepth: "100", order: "-3", priority: "" })).toEqual([]);
  for (const scanDepth of ["101", "-1", "2.5", "many"])
    expect(faults({ ...good, scanDepth })).toHaveLength(1);
});

it("gives a book back as it came", () => {
  const book = {
    name: "Opera",
    enabled: false,
    characterIds: ["c1"],
    book: {
      recursive: true,
      scanDepth: 6,
      tokenBudget: null,
      entries: [{ ...emptyEntry, name: "Fire", keys: ["a{1,2}", "b"], regex: true, content: "!", depth: 2 }],
    },
  };
  const kept = { ...book, _id: "b1", entryCount: 1, updatedAt: "2026-11-20T07:00:00Z" };
  expect(filled(formOf(draftOf(kept)))).toEqual(book);
});
