import { z } from "zod";
import type { LoreEntry } from "@/shared/api/types";
import { type Draft, emptyEntry, keysOf, keyText } from "./api";

/** What the fields of a lorebook hold at most. */
export const LIMITS = { name: 100, content: 4000, scan: 100, budget: 100_000, far: 100_000 } as const;

/** A whole number within bounds as a field holds it; empty where it may be left to the rest. */
const numberIn = (min: number, max: number) =>
  z.string().refine((text) => {
    const number = Number(text);
    return text.trim() === "" || (Number.isInteger(number) && number >= min && number <= max);
  });

const entrySchema = z
  .object({
    name: z.string().max(LIMITS.name),
    keys: z.string(),
    secondaryKeys: z.string(),
    logic: z.enum(["andAny", "andAll", "notAny", "notAll"]),
    content: z.string().max(LIMITS.content),
    enabled: z.boolean(),
    constant: z.boolean(),
    order: numberIn(-LIMITS.far, LIMITS.far),
    position: z.enum(["beforeCharacter", "afterCharacter"]),
    priority: numberIn(-LIMITS.far, LIMITS.far),
    depth: numberIn(0, LIMITS.far),
    scanDepth: numberIn(0, LIMITS.scan),
    caseSensitive: z.boolean(),
    wholeWords: z.boolean(),
    regex: z.boolean(),
  })
  .superRefine(({ content, constant, keys, regex }, context) => {
    if (content.trim() === "") context.addIssue({ code: "custom", path: ["content"], message: "needsText" });
    else if (!constant && keysOf(keys, regex).length === 0)
      context.addIssue({ code: "custom", path: ["keys"], message: "needsKey" });
  });

/** The fields of a lorebook; what is wrong is told by the key of its message. */
export const lorebookSchema = z.object({
  name: z.string().trim().min(1, "needsName").max(LIMITS.name),
  enabled: z.boolean(),
  recursive: z.boolean(),
  characterIds: z.array(z.string()),
  scanDepth: numberIn(0, LIMITS.scan),
  tokenBudget: numberIn(0, LIMITS.budget),
  entries: z.array(entrySchema),
});

export type LorebookForm = z.infer<typeof lorebookSchema>;
export type EntryForm = LorebookForm["entries"][number];

const textOf = (number: number | null | undefined) => number?.toString() ?? "";
const numberOf = (text: string) => (text.trim() === "" ? null : Number(text));

const entryFormOf = (entry: LoreEntry): EntryForm => ({
  ...entry,
  keys: keyText(entry.keys, entry.regex),
  secondaryKeys: keyText(entry.secondaryKeys, entry.regex),
  order: textOf(entry.order),
  priority: textOf(entry.priority),
  depth: textOf(entry.depth),
  scanDepth: textOf(entry.scanDepth),
});

export const newEntry: EntryForm = entryFormOf(emptyEntry);

/** A lorebook as fields. */
export const formOf = ({ name, enabled, characterIds, book }: Draft): LorebookForm => ({
  name,
  enabled,
  characterIds,
  recursive: book.recursive,
  scanDepth: textOf(book.scanDepth),
  tokenBudget: textOf(book.tokenBudget),
  entries: book.entries.map(entryFormOf),
});

/** The fields as a lorebook. */
export const filled = ({ name, enabled, characterIds, ...book }: LorebookForm): Draft => ({
  name: name.trim(),
  enabled,
  characterIds,
  book: {
    recursive: book.recursive,
    scanDepth: numberOf(book.scanDepth),
    tokenBudget: numberOf(book.tokenBudget),
    entries: book.entries.map((entry) => ({
      ...entry,
      keys: keysOf(entry.keys, entry.regex),
      secondaryKeys: keysOf(entry.secondaryKeys, entry.regex),
      order: numberOf(entry.order) ?? emptyEntry.order,
      priority: numberOf(entry.priority),
      depth: numberOf(entry.depth),
      scanDepth: numberOf(entry.scanDepth),
    })),
  },
});
