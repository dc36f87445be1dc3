import type { CSSProperties } from "react";

/** The coloured lights a portrait can stand in; each has a `--gel-…` token. */
const GELS = new Set([
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
]);

/** Style that washes a page in a character's light. The name goes into CSS, so only our own ten count. */
export const gelStyle = (gel: string | null | undefined) =>
  ({ "--gel": `var(--gel-${gel && GELS.has(gel) ? gel : "amber"})` }) as CSSProperties;
