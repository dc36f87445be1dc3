import { expect, it } from "vitest";
import { helpOf } from "./help";

const WORDS = `You are not alone. You can talk to somebody, free and in confidence:

Zelfmoordlijn: 1813
Centre de Prévention du Suicide: 0800 32 123
Help lines in your country: findahelpline.com

The conversation waits for you. You matter more than the story.`;

it("reads the lines out of the sentences around them", () => {
  const { before, lines, after } = helpOf(WORDS);
  expect(before).toEqual(["You are not alone. You can talk to somebody, free and in confidence:"]);
  expect(lines.map(({ name, href }) => [name, href])).toEqual([
    ["Zelfmoordlijn", "tel:1813"],
    ["Centre de Prévention du Suicide", "tel:080032123"],
    ["Help lines in your country", "https://findahelpline.com"],
  ]);
  expect(after).toEqual(["The conversation waits for you. You matter more than the story."]);
});

it("never stands without a line", () => {
  expect(helpOf("").lines.map((line) => line.contact)).toEqual(["findahelpline.com"]);
});
