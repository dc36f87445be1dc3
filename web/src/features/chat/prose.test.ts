import { describe, expect, it } from "vitest";
import { callName, flat, paragraphs, pieces } from "./prose";

const read = (text: string) => pieces(text).map(({ kind, text: shown }) => [kind, shown]);

describe("a line of the play", () => {
  it("has actions without asterisks and speech with curly quotes", () => {
    expect(read('*She turns.* "You are late." The lamp hums.')).toEqual([
      ["action", "She turns."],
      ["plain", " "],
      ["speech", "“You are late.”"],
      ["plain", " The lamp hums."],
    ]);
    expect(read("“Curly already.”")).toEqual([["speech", "“Curly already.”"]]);
    expect(read("**She shouts**")).toEqual([["action", "She shouts"]]);
  });

  it("shows an action or a speech that is still being typed as what it will be", () => {
    expect(read("*")).toEqual([]);
    expect(read("*She tur")).toEqual([["action", "She tur"]]);
    expect(read('Then: "You ar')).toEqual([
      ["plain", "Then: "],
      ["speech", "“You ar"],
    ]);
  });

  it("leaves asterisks alone that mean something else", () => {
    expect(read("2 * 3 is six")).toEqual([["plain", "2 * 3 is six"]]);
    expect(read("* a star")).toEqual([["plain", "* a star"]]);
  });

  it("begins a paragraph at each line", () => {
    expect(
      paragraphs("*One.*\n\n\n Two. \nThree.").map((p) => p.map((piece) => piece.text).join("")),
    ).toEqual(["One.", "Two.", "Three."]);
    expect(paragraphs("  \n ")).toEqual([]);
  });

  it("never turns text into markup", () => {
    expect(read("<b>*no*</b>")).toEqual([
      ["plain", "<b>"],
      ["action", "no"],
      ["plain", "</b>"],
    ]);
  });
});

it("a preview is one line without asterisks", () => {
  expect(flat("*She turns.*\n\n“Late.”")).toBe("She turns. “Late.”");
});

it("calls people as one would", () => {
  expect(callName("Isolde Marchetti")).toBe("Isolde");
  expect(callName("Grigor the Unbowed")).toBe("Grigor");
  expect(callName("The Archivist")).toBe("The Archivist");
  expect(callName("Halcyon")).toBe("Halcyon");
});
