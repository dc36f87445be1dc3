import type { SamplingBound, SamplingValues } from "@/shared/api/types";

/** A parameter that is one number. */
export type Dial = Exclude<keyof SamplingValues, "stop">;

interface DialWords {
  name: string;
  /** What turning it does, for people who write and do not calculate. */
  hint: string;
  /** Shown at once; the others under More. */
  main?: boolean;
}

export const DIALS: Readonly<Record<Dial, DialWords>> = {
  temperature: { name: "Temperature", hint: "Low stays close to the expected, high surprises.", main: true },
  maxTokens: { name: "Length of a reply", hint: "Most tokens of one reply.", main: true },
  topP: { name: "Top P", hint: "Leaves out the unlikely end of each choice.", main: true },
  minP: { name: "Min P", hint: "Leaves out what is far less likely than the best.", main: true },
  repetitionPenalty: {
    name: "Repetition penalty",
    hint: "Higher says the same words less often.",
    main: true,
  },
  topK: { name: "Top K", hint: "Chooses among this many words; 0 among all." },
  presencePenalty: { name: "Presence penalty", hint: "Higher brings up new things." },
  frequencyPenalty: { name: "Frequency penalty", hint: "Higher wears words out." },
  dryMultiplier: { name: "DRY multiplier", hint: "Against repeated phrases; 0 is off." },
  dryBase: { name: "DRY base", hint: "How fast that grows with a phrase's length." },
  dryAllowedLength: { name: "DRY allowed length", hint: "Phrases up to this long may come again." },
  xtcProbability: { name: "XTC probability", hint: "How often the most expected words are left out." },
  xtcThreshold: { name: "XTC threshold", hint: "How expected a word must be for that." },
  seed: { name: "Seed", hint: "The same number, the same dice." },
};

const isDial = (parameter: string): parameter is Dial => parameter in DIALS;

export interface BoundDial extends DialWords {
  dial: Dial;
  bound: SamplingBound;
}

/** The dials that the server knows bounds of, the ones that matter most first. */
export function dialsOf(bounds: readonly SamplingBound[]): BoundDial[] {
  const known = bounds.flatMap((bound) =>
    isDial(bound.parameter) ? [{ dial: bound.parameter, bound, ...DIALS[bound.parameter] }] : [],
  );
  const order = Object.keys(DIALS);
  return known.sort((a, b) => order.indexOf(a.dial) - order.indexOf(b.dial));
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
