import type { Message } from "@/shared/api/types";
import { spoken } from "./markdown";

/** Words as they are compared: whatever the case, the accents and the kind of quotation marks. */
const plain = (text: string) =>
  text.normalize("NFD").replace(/\p{M}/gu, "").replace(/[“”]/g, '"').replace(/[‘’]/g, "'").toLowerCase();

/** Ids of the messages that hold the words, in the order of the story. */
export function holding(messages: readonly Message[], words: string): string[] {
  const wanted = plain(words.trim());
  if (wanted === "") return [];
  return messages.filter(({ content }) => plain(spoken(content)).includes(wanted)).map(({ _id }) => _id);
}

/** Where the words stand in a text, as pairs of offsets. */
export function placesOf(text: string, words: string): [number, number][] {
  const wanted = plain(words.trim());
  if (wanted === "") return [];
  // Letter by letter, since a letter and its plain form need not be equally long.
  const letters = Array.from(text);
  let flat = "";
  const at: number[] = [];
  let offset = 0;
  for (const letter of letters) {
    const bare = plain(letter);
    for (let unit = 0; unit < bare.length; unit++) at.push(offset);
    flat += bare;
    offset += letter.length;
  }
  at.push(offset);
  const found: [number, number][] = [];
  for (let from = flat.indexOf(wanted); from >= 0; from = flat.indexOf(wanted, from + wanted.length)) {
    found.push([at[from] ?? 0, at[from + wanted.length] ?? offset]);
  }
  return found;
}
