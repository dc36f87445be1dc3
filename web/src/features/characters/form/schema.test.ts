import { describe, expect, it } from "vitest";
import { type CharacterForm, characterBody, characterSchema, emptyCharacter, tagSlug } from "./schema";

const wren: CharacterForm = {
  ...emptyCharacter,
  name: " Wren ",
  description: "Reads plays aloud on trains.",
  firstMessage: '*She looks up.* "Is this seat taken?"',
  tags: ["female", "books"],
};
const problems = (form: CharacterForm) =>
  characterSchema.safeParse(form).error?.issues.map((issue) => issue.message) ?? [];

describe("the character form", () => {
  it("takes adults only", () => {
    expect(problems({ ...wren, age: "17" })).toEqual(["Minimum age is 18"]);
    expect(problems({ ...wren, age: "18" })).toEqual([]);
    expect(problems({ ...wren, age: "" })).toEqual([]);
    expect(problems({ ...wren, age: "thirty" })).toEqual(["Give the age in whole years."]);
    // The age field is hidden in generate mode, so what it held does not count.
    expect(problems({ ...wren, age: "17", mode: "generate" })).toEqual([]);
  });

  it("takes at most five tags", () => {
    expect(problems({ ...wren, tags: ["a", "b", "c", "d", "e", "f"] })).toEqual([
      "You can add a maximum of 5 tags",
    ]);
  });

  it("sends an upload as a file, with tags as JSON and texts trimmed", () => {
    const image = new File(["x"], "wren.png", { type: "image/png" });
    const body = characterBody({ ...wren, age: "28" }, image);
    expect(body.get("name")).toBe("Wren");
    expect(body.get("tags")).toBe('["female","books"]');
    expect(body.get("age")).toBe("28");
    expect(body.get("image")).toBeInstanceOf(File);
    expect(body.get("nsfw")).toBe("false");
    expect(body.get("public")).toBe("true");
    expect(body.has("generateMode")).toBe(false);
  });

  it("sends the choices in generate mode, and the age they stand for", () => {
    const form = {
      ...wren,
      mode: "generate" as const,
      age: "99",
      choices: { ...wren.choices, age: "40s" },
      prompt: " under a streetlamp ",
    };
    const body = characterBody(form, new File(["x"], "left-over.png"));
    expect(body.get("generateMode")).toBe("true");
    expect(body.get("age")).toBe("40");
    expect(body.get("imageGeneration[age]")).toBe("40s");
    expect(body.get("imageGeneration[hairColor]")).toBe("Brunette");
    expect(body.get("imageGeneration[prompt]")).toBe("under a streetlamp");
    expect(body.has("image")).toBe(false);
  });

  it("writes tags as the house does", () => {
    expect(tagSlug("  Monster Girl! ")).toBe("monster-girl");
    expect(tagSlug("#OC")).toBe("oc");
    expect(tagSlug("--")).toBe("");
  });
});
