/** How a piece of a line is shown: a stage direction, something said aloud, or plain narration. */
export type PieceKind = "action" | "speech" | "plain";

export interface Piece {
  kind: PieceKind;
  text: string;
}

/** `*action*` (also `**so**`), speech in straight or curly double quotes, and what lies between. */
const PIECE = /(\*{1,3})(?=\S)([^*]+?)\1|“[^“”]*(?:”|$)|"[^"]*(?:"|$)/g;

const curly = (quoted: string) => {
  const inner = quoted.replace(/^["“]/, "").replace(/["”]$/, "");
  const closed = quoted.length > 1 && /["”]$/.test(quoted);
  return `“${inner}${closed ? "”" : ""}`;
};

/** Asterisks that stand alone are how a writer left them, except one that opens an action still being typed. */
function plain(whole: string, atEnd: boolean): Piece[] {
  // The first sign of an action whose words have not come yet.
  const text = atEnd ? whole.replace(/(^|\s)\*{1,3}$/, "$1") : whole;
  if (text === "") return [];
  const open = atEnd ? text.match(/(^|\s)\*{1,3}(?=\S)([^*]+)$/) : null;
  if (!open || open.index === undefined) return [{ kind: "plain", text }];
  const before = text.slice(0, open.index + (open[1]?.length ?? 0));
  const action: Piece = { kind: "action", text: open[2] ?? "" };
  return before ? [{ kind: "plain", text: before }, action] : [action];
}

/** Splits one paragraph into its pieces. Nothing is lost but the asterisks. */
export function pieces(paragraph: string): Piece[] {
  const found: Piece[] = [];
  let at = 0;
  for (const match of paragraph.matchAll(PIECE)) {
    if (match.index > at) found.push(...plain(paragraph.slice(at, match.index), false));
    found.push(
      match[1] ? { kind: "action", text: match[2] ?? "" } : { kind: "speech", text: curly(match[0]) },
    );
    at = match.index + match[0].length;
  }
  if (at < paragraph.length) found.push(...plain(paragraph.slice(at), true));
  return found;
}

/** A message as paragraphs: an empty line or a line's end begins a new one. */
export function paragraphs(content: string): Piece[][] {
  return content
    .split(/\n+/)
    .map((line) => line.trim())
    .filter(Boolean)
    .map(pieces);
}

/** What a chat list shows of a message: without asterisks, on one line. */
export const flat = (content: string) => content.replace(/\*+/g, "").replace(/\s+/g, " ").trim();

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
