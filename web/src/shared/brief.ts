import { DECIMAL } from "./locales";
import type { Language } from "./store";

/** Cuts at a number of characters, at a word's end where one is near, and says so with an ellipsis. */
export function cut(text: string, max: number): string {
  const letters = Array.from(text.trim());
  if (letters.length <= max) return text.trim();
  const head = letters.slice(0, max - 1).join("");
  const space = letters[max - 1] === " " ? head.length : head.lastIndexOf(" ");
  return `${(space > max * 0.7 ? head.slice(0, space) : head).replace(/[\s.,;:!?–-]+$/, "")}…`;
}

/** 999 → `999`, 12 840 → `12.8k`, in French `12,8k`, 1 000 000 → `1M`. Never more than there are. */
export function shortCount(count: number, language: Language = "en"): string {
  const shorten = (value: number, unit: string) => {
    const shown = value < 100 ? Math.floor(value * 10) / 10 : Math.floor(value);
    return `${shown}${unit}`.replace(".", DECIMAL[language]);
  };
  if (count >= 1_000_000) return shorten(count / 1_000_000, "M");
  if (count >= 1000) return shorten(count / 1000, "k");
  return count.toString();
}
