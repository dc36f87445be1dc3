import { spoken } from "./markdown";

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });

/** The sentences of a message as they are read aloud; of one that still grows, only those that are whole. */
export function sentences(content: string, growing: boolean): string[] {
  // Each line ends a sentence, whatever it ends with.
  const found = spoken(content)
    .split("\n")
    .flatMap((line) => Array.from(segmenter.segment(line), ({ segment }) => segment.trim()))
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
  return growing ? found.slice(0, -1) : found;
}
