import { describe, expect, it } from "vitest";
import type { Persona } from "@/shared/api/types";
import { emptyPersona, withDefault, withPersona } from "./api";

const wren: Persona = { id: "1", name: "Wren", description: "", gender: "", default: true };
const sel: Persona = { id: "2", name: "Sel", description: "A sailor", gender: "other", default: false };
const defaults = (personas: Persona[]) => personas.filter((p) => p.default).map((p) => p.id);

describe("personas", () => {
  it("keep at most one default", () => {
    expect(defaults(withDefault([wren, sel], "2", true))).toEqual(["2"]);
    expect(defaults(withDefault([wren, sel], "1", false))).toEqual([]);
    expect(
      defaults(withPersona([wren, sel], null, { ...emptyPersona, name: "Io", default: true }, 9)),
    ).toEqual(["9"]);
    expect(defaults(withPersona([wren, sel], "2", { ...sel, default: true }))).toEqual(["2"]);
  });
  it("get an id from the time they are made", () => {
    const made = withPersona([wren], null, { ...emptyPersona, name: "  Io " }, 1_700_000_000_000).at(-1);
    expect(made).toMatchObject({ id: "1700000000000", name: "Io", default: false });
  });
  it("change in place", () => {
    expect(withPersona([wren, sel], "2", { ...sel, name: "Selkie" }).map((p) => p.name)).toEqual([
      "Wren",
      "Selkie",
    ]);
  });
});
