import { describe, expect, it } from "vitest";
import { blocks, type Piece, pieces, spoken } from "./markdown";

const read = (text: string) => pieces(text).map(({ kind, text: shown }) => [kind, shown]);
const inside = (piece: Piece | undefined) => piece?.pieces?.map(({ kind, text }) => [kind, text]);

describe("a line of the play", () => {
  it("has actions without asterisks and speech with curly quotes", () => {
    expect(read('*She turns.* "You are late." The lamp hums.')).toEqual([
      ["action", "She turns."],
      ["plain", " "],
      ["speech", "“You are late.”"],
      ["plain", " The lamp hums."],
    ]);
    expect(read("“Curly already.”")).toEqual([["speech", "“Curly already.”"]]);
    expect(read("_She turns._")).toEqual([["action", "She turns."]]);
  });

  it("stresses within speech and speaks within actions", () => {
    expect(inside(pieces('"What *did* you **do**?"')[0])).toEqual([
      ["plain", "“"],
      ["plain", "What "],
      ["action", "did"],
      ["plain", " you "],
      ["strong", "do"],
      ["plain", "?"],
      ["plain", "”"],
    ]);
    expect(inside(pieces('*She says "no" and turns.*')[0])).toEqual([
      ["plain", "She says "],
      ["speech", "“no”"],
      ["plain", " and turns."],
    ]);
    expect(inside(pieces("***Never.***")[0])).toEqual([["strong", "Never."]]);
    expect(inside(pieces("*a **b** c*")[0])).toEqual([
      ["plain", "a "],
      ["strong", "b"],
      ["plain", " c"],
    ]);
  });

  it("shows an action or a speech that is still being typed as what it will be", () => {
    expect(read("*")).toEqual([]);
    expect(read("*She tur")).toEqual([["action", "She tur"]]);
    expect(read('Then: "You ar')).toEqual([
      ["plain", "Then: "],
      ["speech", "“You ar"],
    ]);
  });

  it("leaves signs alone that mean something else", () => {
    expect(read("2 * 3 is six")).toEqual([["plain", "2 * 3 is six"]]);
    expect(read("a snake_case_name")).toEqual([["plain", "a snake_case_name"]]);
    expect(read("5'6\" tall")).toEqual([["plain", "5'6\" tall"]]);
    expect(read("\\*not an action\\*")).toEqual([["plain", "*not an action*"]]);
  });

  it("never turns text into markup, and links only to the web", () => {
    expect(read("<b>*no*</b>")).toEqual([
      ["plain", "<b>"],
      ["action", "no"],
      ["plain", "</b>"],
    ]);
    expect(read("[here](javascript:alert(1))")).toEqual([["plain", "[here](javascript:alert(1))"]]);
    expect(pieces("[here](https://example.com/a_(b))")).toEqual([
      { kind: "link", text: "here", href: "https://example.com/a_(b)" },
    ]);
    expect(pieces("![a cat](https://example.com/cat.png)")).toEqual([
      { kind: "link", text: "a cat", href: "https://example.com/cat.png" },
    ]);
    expect(read("See https://example.com/x.")).toEqual([
      ["plain", "See "],
      ["link", "https://example.com/x"],
      ["plain", "."],
    ]);
  });

  it("reads hostile lines in no time", () => {
    const started = performance.now();
    for (const sign of ["*a ", "_a ", "**a ", "[a", '"a', "`a", "~~a ", "![", "https://"]) {
      pieces(sign.repeat(5000));
    }
    expect(performance.now() - started).toBeLessThan(1500);
  });
});

describe("a message", () => {
  it("begins a paragraph at each line", () => {
    expect(blocks("*One.*\n\n\n Two. \nThree.")).toEqual([
      { kind: "paragraph", text: "*One.*" },
      { kind: "paragraph", text: "Two." },
      { kind: "paragraph", text: "Three." },
    ]);
    expect(blocks("  \n ")).toEqual([]);
  });

  it("has lists, quotations, headings, rules and code", () => {
    expect(
      blocks(
        "# The plan\n- one\n- two\n\n3. three\n4. four\n> so\n> there\n---\n```rust\nlet a;\n\nb\n```\nEnd",
      ),
    ).toEqual([
      { kind: "heading", text: "The plan" },
      { kind: "list", items: ["one", "two"], start: null },
      { kind: "list", items: ["three", "four"], start: 3 },
      { kind: "quote", lines: ["so", "there"] },
      { kind: "rule" },
      { kind: "code", text: "let a;\n\nb" },
      { kind: "paragraph", text: "End" },
    ]);
    expect(blocks("```\nstill com")).toEqual([{ kind: "code", text: "still com" }]);
  });

  it("is read aloud without its signs", () => {
    expect(spoken('*She turns.* "Late."\n\n- **one**\n- two')).toBe("She turns. “Late.”\none\ntwo");
  });
});

describe("a table", () => {
  const sheet =
    "Her sheet:\n| Trait | Now |\n| --- | :-: |\n| Nerve | *steady* |\n| Debt \\| luck | 3 |\nShe nods.";

  it("is a head and rows, and ends with them", () => {
    expect(blocks(sheet)).toEqual([
      { kind: "paragraph", text: "Her sheet:" },
      {
        kind: "table",
        head: ["Trait", "Now"],
        rows: [
          ["Nerve", "*steady*"],
          ["Debt | luck", "3"],
        ],
      },
      { kind: "paragraph", text: "She nods." },
    ]);
    expect(spoken(sheet)).toBe("Her sheet:\nTrait, Now\nNerve, steady\nDebt | luck, 3\nShe nods.");
  });

  it("is none without the line under its head", () => {
    expect(blocks("this | that\nand | so on").map(({ kind }) => kind)).toEqual(["paragraph", "paragraph"]);
    expect(blocks("| a |\n| - |")[0]?.kind).toBe("paragraph");
  });
});
