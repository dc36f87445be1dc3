import type { SamplingBound, SamplingValues } from "@/shared/api/types";

/** A parameter that is one number. */
export type Dial = Exclude<keyof SamplingValues, "stop">;

/** Shown at once, the ones that matter most first. */
const MAIN = ["temperature", "maxTokens", "topP", "minP", "repetitionPenalty"] as const;
/** Under More. */
const MORE = [
  "topK",
  "presencePenalty",
  "frequencyPenalty",
  "dryMultiplier",
  "dryBase",
  "dryAllowedLength",
  "xtcProbability",
  "xtcThreshold",
  "seed",
] as const;
const DIALS: readonly Dial[] = [...MAIN, ...MORE];

const isDial = (parameter: string): parameter is Dial => DIALS.some((dial) => dial === parameter);

export interface BoundDial {
  dial: Dial;
  bound: SamplingBound;
  main: boolean;
}

/** The dials that the server knows bounds of, the ones that matter most first. */
export function dialsOf(bounds: readonly SamplingBound[]): BoundDial[] {
  const known = bounds.flatMap((bound) =>
    isDial(bound.parameter)
      ? [{ dial: bound.parameter, bound, main: MAIN.some((dial) => dial === bound.parameter) }]
      : [],
  );
  return known.sort((a, b) => DIALS.indexOf(a.dial) - DIALS.indexOf(b.dial));
}

/** A number within its bounds and on its step, without the dust of binary fractions. */
export function onStep(value: number, { min, max, step }: SamplingBound): number {
  const stepped = step > 0 ? min + Math.round((value - min) / step) * step : value;
  return Number(Math.min(max, Math.max(min, stepped)).toFixed(6));
}

/** Where a value stands between its bounds. */
export const shareOf = (value: number, { min, max }: SamplingBound) =>
  `${max > min ? ((Math.min(max, Math.max(min, value)) - min) / (max - min)) * 100 : 0}%`;

/** A slider over more than this many steps helps nobody: a field instead. */
const MOST_STEPS = 10_000;
export const slides = ({ min, max, step }: SamplingBound) => step > 0 && (max - min) / step <= MOST_STEPS;

/** Lines of a field as stop strings. */
export const stopsOf = (text: string, most: number): string[] =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(0, most);

/** Without what is not set. */
export function set(values: SamplingValues): SamplingValues {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== null && value !== undefined),
  ) as SamplingValues;
}
