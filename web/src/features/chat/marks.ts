import type { MessageHit } from "@/shared/api/types";

export interface Piece {
  text: string;
  marked: boolean;
}

/** A snippet cut at its marks, which count UTF-16 units; marks that overlap or lie outside do no harm. */
export function marked({ snippet, marks }: Pick<MessageHit, "snippet" | "marks">): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { start, end } of marks.toSorted((a, b) => a.start - b.start)) {
    const from = Math.max(at, start);
    const to = Math.min(end, snippet.length);
    if (to <= from) continue;
    if (from > at) pieces.push({ text: snippet.slice(at, from), marked: false });
    pieces.push({ text: snippet.slice(from, to), marked: true });
    at = to;
  }
  if (at < snippet.length) pieces.push({ text: snippet.slice(at), marked: false });
  return pieces;
}
