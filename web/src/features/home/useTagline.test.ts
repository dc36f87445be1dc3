import { describe, expect, it } from "vitest";
import { nextFrame } from "./useTagline";

const LINES = ["Ab", "C"];

describe("the rotating line", () => {
  it("types, holds, erases, waits, and goes on to the next line", () => {
    let frame = { line: 0, shown: 0, erasing: false };
    const waits: number[] = [];
    const seen: string[] = [];
    for (let step = 0; step < 7; step++) {
      const next = nextFrame(frame, LINES);
      waits.push(next.waitMs);
      frame = next.frame;
      seen.push((LINES[frame.line] ?? "").slice(0, frame.shown));
    }
    expect(waits).toEqual([100, 100, 2000, 50, 50, 500, 100]);
    expect(seen).toEqual(["A", "Ab", "Ab", "A", "", "", "C"]);
  });

  it("begins again after the last line", () => {
    expect(nextFrame({ line: 1, shown: 0, erasing: true }, LINES).frame.line).toBe(0);
  });
});
