import { describe, expect, it } from "vitest";
import { type Book, bookJson, bookOf, bookSchema, emptyBook, emptyEntry } from "./lorebook";

const CARD = {
  name: "The Half Moon",
  scan_depth: 6,
  extensions: { house: { floors: 3 } },
  entries: [
    {
      keys: ["cellar", "/ba{1,2}r/i"],
      content: "The cellar floods in spring.",
      extensions: { position: 4, depth: 2, probability: 80 },
      enabled: true,
      insertion_order: 10,
      case_sensitive: null,
      comment: "Cellar",
      selective: true,
      secondary_keys: ["water"],
      id: 7,
    },
  ],
};
const back = (book: Book) => JSON.parse(bookJson(book));
const first = (book: Book) => {
  const [entry] = book.entries;
  if (!entry) throw new Error("no entry");
  return entry;
};

describe("a lorebook in the form", () => {
  it("comes back as it was while nothing is changed, with what the form has no field for", () => {
    expect(back(bookOf(CARD))).toEqual(CARD);
  });

  it("is shown by its names, keys, order and depth", () => {
    expect(first(bookOf(CARD))).toMatchObject({
      name: "Cellar",
      keys: "cellar, /ba{1,2}r/i",
      secondaryKeys: "water",
      order: "10",
      priority: "",
      depth: "2",
      constant: false,
    });
  });

  it("changes only what was changed", () => {
    const book = bookOf(CARD);
    const entry = { ...first(book), depth: "", secondaryKeys: "", priority: "5", constant: true };
    const [was] = CARD.entries;
    expect(back({ ...book, entries: [entry] }).entries).toEqual([
      {
        ...was,
        extensions: { probability: 80 },
        secondary_keys: [],
        selective: false,
        priority: 5,
        constant: true,
      },
    ]);
  });

  it("makes whole entries of new ones, and nothing of nothing", () => {
    expect(bookJson(emptyBook)).toBe("");
    const entry = { ...emptyEntry, keys: "moon, , tide ", content: "It rises late.", depth: "4" };
    expect(back({ ...emptyBook, entries: [entry] })).toEqual({
      extensions: {},
      entries: [
        {
          keys: ["moon", "tide"],
          secondary_keys: [],
          selective: false,
          content: "It rises late.",
          enabled: true,
          constant: false,
          insertion_order: 100,
          name: "",
          extensions: { position: 4, depth: 4 },
        },
      ],
    });
  });

  it("takes whole numbers", () => {
    const wrong = { ...emptyEntry, order: "soon", depth: "-1" };
    const issues = bookSchema.safeParse({ ...emptyBook, entries: [wrong] }).error?.issues ?? [];
    expect(issues.map((issue) => issue.path.join("."))).toEqual(["entries.0.order", "entries.0.depth"]);
  });
});
