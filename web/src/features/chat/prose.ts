import { spoken } from "./markdown";

/** What a chat list shows of a message: without asterisks, on one line. */
export const flat = (content: string) => spoken(content).replace(/\s+/g, " ").trim();

const TITLES = new Set([
  "the",
  "a",
  "an",
  "dr",
  "dr.",
  "mr",
  "mr.",
  "mrs",
  "mrs.",
  "ms",
  "ms.",
  "madame",
  "captain",
  "sister",
  "brother",
  "lady",
  "lord",
  "sir",
  "ser",
  "dame",
  "saint",
  "st.",
  "old",
  "professor",
  "father",
  "mother",
  "queen",
  "king",
]);

/** How one calls a character: the first name, or the whole one where the first word is a title. */
export function callName(name: string): string {
  const first = name.trim().split(/\s+/)[0] ?? "";
  return TITLES.has(first.toLowerCase()) ? name.trim() : first.replace(/,$/, "");
}
