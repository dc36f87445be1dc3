/** A piece of a paragraph: plain words, or words that lead somewhere on the site. */
export interface Piece {
  text: string;
  to?: string;
}

const LINK = /\[([^\]]+)\]\((\/[^)\s]*)\)/g;

/** Splits a paragraph of a policy at its links, `[words](/path)`. */
export function piecesOf(paragraph: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const found of paragraph.matchAll(LINK)) {
    const [whole, text, to] = found;
    if (found.index > from) pieces.push({ text: paragraph.slice(from, found.index) });
    pieces.push({ text: text ?? "", to });
    from = found.index + whole.length;
  }
  if (from < paragraph.length) pieces.push({ text: paragraph.slice(from) });
  return pieces;
}

/** A heading as a name for its place: `8. Withdrawal` → `withdrawal`. */
export const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[\d-]+|-+$/g, "");
