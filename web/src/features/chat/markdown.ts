/**
 * How lines of a play are written: `*actions*`, "speech", and the plain part of Markdown. Only text comes out, in
 * pieces with a kind; whoever shows them decides on the elements, so nothing that was written can become markup.
 */

export type PieceKind = "plain" | "action" | "speech" | "strong" | "strike" | "code" | "link";

export interface Piece {
  kind: PieceKind;
  /** As it is read, without the signs that mark it. */
  text: string;
  /** What it is made of; absent where it is only text. */
  pieces?: Piece[];
  /** Of a link: an address of the web, nothing else. */
  href?: string;
}

/** Signs that stand on both sides of words, and what they make of them; longer ones first. */
const PAIRS: readonly [mark: string, kinds: readonly PieceKind[]][] = [
  ["***", ["action", "strong"]],
  ["**", ["strong"]],
  ["*", ["action"]],
  ["__", ["strong"]],
  ["_", ["action"]],
  ["~~", ["strike"]],
];

const isSpace = (char: string | undefined) => char === undefined || /\s/.test(char);
const isWord = (char: string | undefined) => char !== undefined && /[\p{L}\p{N}]/u.test(char);
const opensSpeech = (before: string | undefined) => before === undefined || !isWord(before);

const textOf = (pieces: readonly Piece[]) => pieces.map(({ text }) => text).join("");

/** `[words](address)`, also with a `!`: pictures from elsewhere are never fetched, only named. */
const LINK = /!?\[([^[\]]{0,500})\]\((https?:\/\/[^\s()<>]{1,1000}(?:\([^\s()<>]*\)[^\s()<>]*)?)\)/y;
const ADDRESS = /https?:\/\/[^\s<>"“”*]{1,1000}/y;
/** What belongs to the sentence, not to an address at its end. */
const TRAILING = /[.,;:!?…)\]'’]+$/;
const ESCAPED = /[\\`*_{}[\]()#+\-.!~>"]/;

/** How often a sign stands in a row from a place on. */
function runAt(text: string, at: number): number {
  let end = at;
  while (text[end] === text[at] && end < text.length) end++;
  return end - at;
}

/** Where a mark closes what opened at `from`; -1 where it does not. */
function closing(text: string, mark: string, from: number): number {
  const sign = mark[0];
  for (let at = text.indexOf(mark, from); at >= 0; at = text.indexOf(mark, at)) {
    const run = runAt(text, at);
    const before = text[at - 1];
    // Of three in a row the inner pair closes first; two are no end of what one has opened.
    const end = run === 3 && mark.length < 3 ? at + 3 - mark.length : at;
    const fits = run === mark.length || run === 3;
    if (at > from && fits && !isSpace(before) && before !== "\\") {
      if (sign !== "_" || !isWord(text[at + run])) return end;
    }
    at += run;
  }
  return -1;
}

class Reader {
  private readonly found: Piece[] = [];
  private plain = "";
  /** Marks that do not close any more in this text: looking again would cost time for nothing. */
  private readonly dead = new Set<string>();

  constructor(
    private readonly text: string,
    /** Within speech no other speech begins. */
    private readonly inSpeech: boolean,
  ) {}

  read(): Piece[] {
    let at = 0;
    while (at < this.text.length) at = this.step(at);
    this.flush();
    return this.found;
  }

  private flush() {
    if (this.plain !== "") this.found.push({ kind: "plain", text: this.plain });
    this.plain = "";
  }

  private put(piece: Piece) {
    this.flush();
    this.found.push(piece);
  }

  private step(at: number): number {
    const char = this.text[at] ?? "";
    const next = this.text[at + 1];
    if (char === "\\" && next !== undefined && ESCAPED.test(next)) {
      this.plain += next;
      return at + 2;
    }
    const after =
      char === "`"
        ? this.code(at)
        : char === "*" || char === "_" || char === "~"
          ? this.pair(at)
          : char === '"' || char === "“"
            ? this.speech(at)
            : char === "[" || char === "!" || char === "h"
              ? this.link(at)
              : null;
    if (after !== null) return after;
    this.plain += char;
    return at + 1;
  }

  private code(at: number): number | null {
    const mark = this.text.startsWith("``", at) ? "``" : "`";
    const end = this.text.indexOf(mark, at + mark.length);
    if (end <= at + mark.length) return null;
    this.put({ kind: "code", text: this.text.slice(at + mark.length, end).trim() });
    return end + mark.length;
  }

  private pair(at: number): number | null {
    for (const [mark, kinds] of PAIRS) {
      if (!this.text.startsWith(mark, at)) continue;
      const from = at + mark.length;
      if (mark[0] === "_" && isWord(this.text[at - 1])) return null;
      if (isSpace(this.text[from])) {
        // The first sign of an action whose words have not come yet.
        const isLast = from >= this.text.length && isSpace(this.text[at - 1]) && mark[0] === "*";
        return isLast ? this.text.length : null;
      }
      const end = this.dead.has(mark) ? -1 : closing(this.text, mark, from);
      if (end >= 0) {
        this.put(this.wrapped(this.text.slice(from, end), kinds));
        return end + mark.length;
      }
      this.dead.add(mark);
      // An action still being typed: one that begins a word and is followed by no other sign.
      const rest = this.text.slice(from);
      if (mark[0] === "*" && isSpace(this.text[at - 1]) && !rest.includes("*")) {
        this.put(this.wrapped(rest, kinds));
        return this.text.length;
      }
    }
    return null;
  }

  private wrapped(inner: string, [kind = "plain", ...deeper]: readonly PieceKind[]): Piece {
    const pieces =
      deeper.length > 0 ? [this.wrapped(inner, deeper)] : new Reader(inner, this.inSpeech).read();
    return { kind, text: textOf(pieces), pieces };
  }

  private speech(at: number): number | null {
    const straight = this.text[at] === '"';
    if (this.inSpeech || (straight && !opensSpeech(this.text[at - 1]))) return null;
    const end = this.text.indexOf(straight ? '"' : "”", at + 1);
    const closed = end >= 0;
    const inner = new Reader(this.text.slice(at + 1, closed ? end : undefined), true).read();
    const pieces: Piece[] = [
      { kind: "plain", text: "“" },
      ...inner,
      ...(closed ? [{ kind: "plain", text: "”" } as const] : []),
    ];
    this.put({ kind: "speech", text: textOf(pieces), pieces });
    return closed ? end + 1 : this.text.length;
  }

  private link(at: number): number | null {
    LINK.lastIndex = at;
    const named = LINK.exec(this.text);
    if (named?.[2]) {
      this.put({ kind: "link", text: named[1]?.trim() || named[2], href: named[2] });
      return LINK.lastIndex;
    }
    if (isWord(this.text[at - 1])) return null;
    ADDRESS.lastIndex = at;
    const address = ADDRESS.exec(this.text)?.[0].replace(TRAILING, "");
    if (!address || address.length < "https://a".length) return null;
    this.put({ kind: "link", text: address, href: address });
    return at + address.length;
  }
}

/** Splits one paragraph into its pieces. Nothing is lost but the signs. */
export const pieces = (paragraph: string): Piece[] => new Reader(paragraph, false).read();

/** A part of a message that stands for itself, in the words it was written in. */
export type Block =
  | { kind: "paragraph" | "heading" | "code"; text: string }
  | { kind: "quote"; lines: string[] }
  | { kind: "list"; items: string[]; start: number | null }
  | { kind: "table"; head: string[]; rows: string[][] }
  | { kind: "rule" };

const FENCE = /^\s*(```|~~~)/;
const RULE = /^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/;
const HEADING = /^#{1,6}\s+(.+?)\s*#*$/;
const QUOTE = /^>\s?(.*)$/;
const BULLET = /^\s*[-*+]\s+(.+)$/;
const NUMBER = /^\s*(\d{1,4})[.)]\s+(.+)$/;

/** The line under a table's head. */
const UNDER_HEAD = /^\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?$/;

/** The cells of a table's line. */
const cells = (line: string): string[] =>
  line
    .trim()
    .replace(/^\||(?<!\\)\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

/** A table that begins with these lines, and how many of them are its; null where none does. */
function tableAt(lines: readonly string[], at: number): { table: Block; length: number } | null {
  const head = cells(lines[at] ?? "");
  const under = (lines[at + 1] ?? "").trim();
  if (head.length < 2 || !UNDER_HEAD.test(under) || cells(under).length !== head.length) return null;
  const rows: string[][] = [];
  for (let row = at + 2; lines[row]?.includes("|"); row++) {
    const found = cells(lines[row] ?? "");
    rows.push(head.map((_, column) => found[column] ?? ""));
  }
  return { table: { kind: "table", head, rows }, length: rows.length + 2 };
}

/** A message as blocks: an empty line or a line's end begins a new one. */
export function blocks(content: string): Block[] {
  const found: Block[] = [];
  const lines = content.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const fence = line.match(FENCE)?.[1];
    if (fence) {
      const code: string[] = [];
      for (at++; at < lines.length && !lines[at]?.trimStart().startsWith(fence); at++)
        code.push(lines[at] ?? "");
      found.push({ kind: "code", text: code.join("\n") });
      continue;
    }
    if (line.trim() === "") continue;
    const table = line.includes("|") ? tableAt(lines, at) : null;
    if (table) {
      found.push(table.table);
      at += table.length - 1;
      continue;
    }
    const last = found.at(-1);
    // Only lines that follow each other are one list, or one quotation.
    const joins = (lines[at - 1] ?? "").trim() !== "";
    const quote = line.match(QUOTE);
    const bullet = line.match(BULLET);
    const number = line.match(NUMBER);
    if (RULE.test(line)) found.push({ kind: "rule" });
    else if (quote) {
      if (last?.kind === "quote" && joins) last.lines.push(quote[1] ?? "");
      else found.push({ kind: "quote", lines: [quote[1] ?? ""] });
    } else if (bullet?.[1]) {
      if (last?.kind === "list" && last.start === null && joins) last.items.push(bullet[1]);
      else found.push({ kind: "list", items: [bullet[1]], start: null });
    } else if (number?.[2]) {
      if (last?.kind === "list" && last.start !== null && joins) last.items.push(number[2]);
      else found.push({ kind: "list", items: [number[2]], start: Number(number[1]) });
    } else {
      const heading = line.trim().match(HEADING)?.[1];
      found.push(heading ? { kind: "heading", text: heading } : { kind: "paragraph", text: line.trim() });
    }
  }
  return found;
}

/** A message as it is read aloud: no signs, a line for each part. */
export const spoken = (content: string): string =>
  blocks(content)
    .flatMap((block) => {
      if (block.kind === "rule") return [];
      if (block.kind === "code") return [block.text];
      if (block.kind === "table")
        return [block.head, ...block.rows].map((row) => row.map((cell) => textOf(pieces(cell))).join(", "));
      const lines = block.kind === "quote" ? block.lines : block.kind === "list" ? block.items : [block.text];
      return lines.map((line) => textOf(pieces(line)));
    })
    .filter((line) => line.trim() !== "")
    .join("\n");
