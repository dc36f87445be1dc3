import { z } from "zod";
import { messages } from "./i18n";
import { wrong } from "./problem";

/** Most entries, and most bytes as JSON, that the server takes. */
export const MAX_ENTRIES = 500;
const MAX_BOOK_BYTES = 512 * 1024;
/** SillyTavern's mark for "stands at a depth", which cards carry in their extensions. */
const AT_DEPTH = 4;
const DEFAULT_ORDER = 100;

const whole = (problem: "whole" | "wholeOrNothing") =>
  z.string().refine((text) => /^\s*(-?\d{1,6})?\s*$/.test(text), wrong(problem));

const entrySchema = z.object({
  name: z.string(),
  /** Separated by commas, as typed. */
  keys: z.string(),
  secondaryKeys: z.string(),
  content: z.string(),
  enabled: z.boolean(),
  constant: z.boolean(),
  order: whole("whole"),
  priority: whole("wholeOrNothing"),
  depth: z.string().refine((text) => /^\s*\d{0,4}\s*$/.test(text), wrong("wholeOrNothing")),
  /** The entry as the card has it, as JSON: what this form has no field for stays. */
  raw: z.string(),
});

export const bookSchema = z
  .object({
    name: z.string().max(200),
    entries: z.array(entrySchema).max(MAX_ENTRIES, wrong("tooManyEntries", { count: MAX_ENTRIES })),
    raw: z.string(),
  })
  .superRefine((book, context) => {
    if (new Blob([bookJson(book)]).size > MAX_BOOK_BYTES) {
      const message = messages("problem")("bookTooLarge");
      context.addIssue({ code: "custom", path: ["name"], message });
    }
  });

export type BookEntry = z.infer<typeof entrySchema>;
export type Book = z.infer<typeof bookSchema>;

type Json = Record<string, unknown>;

export const emptyBook: Book = { name: "", entries: [], raw: "" };
export const emptyEntry: BookEntry = {
  name: "",
  keys: "",
  secondaryKeys: "",
  content: "",
  enabled: true,
  constant: false,
  order: String(DEFAULT_ORDER),
  priority: "",
  depth: "",
  raw: "",
};

const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const text = (value: unknown) => (typeof value === "string" ? value : "");
const number = (value: unknown) => (typeof value === "number" ? String(value) : "");
const words = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((word) => typeof word === "string") : [];
const listed = (value: unknown) => words(value).join(", ");
const extensionsOf = (entry: Json): Json => (isJson(entry.extensions) ? entry.extensions : {});

function entryOf(entry: Json): BookEntry {
  const extensions = extensionsOf(entry);
  return {
    name: text(entry.name) || text(entry.comment),
    keys: listed(entry.keys),
    secondaryKeys: listed(entry.secondary_keys),
    content: text(entry.content),
    enabled: entry.enabled !== false,
    constant: entry.constant === true,
    order: number(entry.insertion_order) || String(DEFAULT_ORDER),
    priority: number(entry.priority),
    depth: extensions.position === AT_DEPTH ? number(extensions.depth) : "",
    raw: JSON.stringify(entry),
  };
}

/** A card's `character_book` as the form edits it. */
export function bookOf(book: Json | null): Book {
  if (!book) return emptyBook;
  return {
    name: text(book.name),
    entries: Array.isArray(book.entries) ? book.entries.filter(isJson).map(entryOf) : [],
    raw: JSON.stringify(book),
  };
}

const parsed = (raw: string): Json => (raw === "" ? {} : (JSON.parse(raw) as Json));
const split = (keys: string) =>
  keys
    .split(",")
    .map((key) => key.trim())
    .filter(Boolean);

/** Writes what was changed into what was there, and nothing else. */
function entryJson(entry: BookEntry): Json {
  const before = entry.raw === "" ? emptyEntry : entryOf(parsed(entry.raw));
  const is: Json = entry.raw === "" ? { extensions: {} } : parsed(entry.raw);
  const changed = (field: keyof BookEntry) => entry.raw === "" || entry[field] !== before[field];
  const optional = (field: string, value: string) => {
    if (value.trim() === "") delete is[field];
    else is[field] = Number(value);
  };
  if (changed("keys")) is.keys = split(entry.keys);
  if (changed("secondaryKeys")) {
    is.secondary_keys = split(entry.secondaryKeys);
    is.selective = split(entry.secondaryKeys).length > 0;
  }
  if (changed("content")) is.content = entry.content;
  if (changed("enabled")) is.enabled = entry.enabled;
  if (changed("constant")) is.constant = entry.constant;
  if (changed("order")) is.insertion_order = Number(entry.order.trim() || DEFAULT_ORDER);
  if (changed("priority")) optional("priority", entry.priority);
  if (changed("name")) {
    is.name = entry.name.trim();
    if ("comment" in is) is.comment = is.name;
  }
  if (changed("depth")) {
    const { position: _, depth: __, ...extensions } = extensionsOf(is);
    is.extensions =
      entry.depth.trim() === ""
        ? extensions
        : { ...extensions, position: AT_DEPTH, depth: Number(entry.depth) };
  }
  return is;
}

/** The book as the card keeps it, as JSON text; empty when there is none. */
export function bookJson(book: Book): string {
  if (book.raw === "" && book.entries.length === 0) return "";
  const is: Json = book.raw === "" ? { extensions: {} } : parsed(book.raw);
  if (book.name.trim() !== text(is.name)) is.name = book.name.trim();
  // What is no entry at all (the server takes none) is not there to be lost.
  is.entries = book.entries.map(entryJson);
  return JSON.stringify(is);
}
