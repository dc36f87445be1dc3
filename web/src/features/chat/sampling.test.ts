import { expect, it } from "vitest";
import type { SamplingBound } from "@/shared/api/types";
import { dialsOf, onStep, set, slides, stopsOf } from "./sampling";

const bound = (parameter: string, min: number, max: number, step: number): SamplingBound => ({
  parameter,
  min,
  max,
  step,
  taken: true,
});

it("keeps a number within its bounds and on its step, without dust", () => {
  const temperature = bound("temperature", 0, 2, 0.05);
  expect(onStep(0.31, temperature)).toBe(0.3);
  expect(onStep(7, temperature)).toBe(2);
  expect(onStep(-1, temperature)).toBe(0);
  expect(onStep(0.1 + 0.2, bound("topP", 0, 1, 0.1))).toBe(0.3);
});

it("shows the dials it has words for, the first ones first", () => {
  const dials = dialsOf([bound("seed", 0, 9, 1), bound("unheard", 0, 1, 1), bound("temperature", 0, 2, 0.1)]);
  expect(dials.map(({ dial }) => dial)).toEqual(["temperature", "seed"]);
});

it("gives a field to what a slider would be too fine for", () => {
  expect(slides(bound("temperature", 0, 2, 0.05))).toBe(true);
  expect(slides(bound("seed", 0, 4_294_967_295, 1))).toBe(false);
});

it("sends only what is set", () => {
  expect(set({ temperature: 0.9, topP: null, minP: undefined })).toEqual({ temperature: 0.9 });
  expect(stopsOf("Wren:\n\n  \n***\nEnd\n", 2)).toEqual(["Wren:", "***"]);
});
