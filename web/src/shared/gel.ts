import type { CSSProperties } from "react";

/** The coloured lights a portrait can stand in; each has a `--gel-…` token. */
const GELS: readonly string[] = [
  "amber",
  "rose",
  "oxblood",
  "moss",
  "steel",
  "iris",
  "teal",
  "straw",
  "copper",
  "bone",
];

/** Style that washes a page in a character's light. The name goes into CSS, so only our own ten count. */
export const gelStyle = (gel: string | null | undefined) =>
  ({ "--gel": `var(--gel-${gel && GELS.includes(gel) ? gel : "amber"})` }) as CSSProperties;

/** Style of the circle that stands for somebody without a picture: a name is always lit in the same colour. */
export function faceStyle(name: string): CSSProperties {
  const sum = Array.from(name).reduce((hash, letter) => (hash * 31 + (letter.codePointAt(0) ?? 0)) % 997, 7);
  return { "--face": `var(--gel-${GELS[sum % GELS.length]})` } as CSSProperties;
}
