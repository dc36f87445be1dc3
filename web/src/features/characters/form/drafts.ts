import { DRAFTS_PREFIX } from "@/shared/begun";
import { browserKept } from "@/shared/storage";
import { type CharacterForm, characterDraft, emptyCharacter } from "./schema";

/** What was written and not sent, as this browser keeps it. Its picture is kept apart (draftPictures.ts). */
export interface Draft {
  id: string;
  /** ms since the epoch */
  savedAt: number;
  values: CharacterForm;
  /** A picture had been chosen. */
  picture: boolean;
}

/** Drafts kept for one form; the oldest goes first. */
const MAX_DRAFTS = 3;
/** A draft that nobody came back for goes after this, ms. */
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;

const PREFIX = `${DRAFTS_PREFIX}character:`;

/** Where the drafts of one person for one form are kept; `character` is null for a new one. */
export const draftKey = (userId: string, character: string | null) =>
  `${PREFIX}${userId}:${character ?? "new"}`;

function draftOf(kept: unknown): Draft | null {
  if (typeof kept !== "object" || kept === null) return null;
  const { id, savedAt, values, picture } = kept as Record<string, unknown>;
  // Fields that came to the form since are as they are in an empty one.
  const form = characterDraft.safeParse(
    typeof values === "object" && values !== null ? { ...emptyCharacter, ...values } : null,
  );
  if (typeof id !== "string" || typeof savedAt !== "number" || !form.success) return null;
  return { id, savedAt, values: form.data, picture: picture === true };
}

/** The drafts that are kept, newest first. */
export function readDrafts(key: string, now = Date.now()): Draft[] {
  try {
    const kept: unknown = JSON.parse(browserKept.getItem(key) ?? "[]");
    return (Array.isArray(kept) ? kept : [])
      .map(draftOf)
      .filter((draft) => draft !== null && now - draft.savedAt < MAX_AGE_MS)
      .sort((a, b) => (b?.savedAt ?? 0) - (a?.savedAt ?? 0)) as Draft[];
  } catch {
    return [];
  }
}

function write(key: string, drafts: readonly Draft[]): boolean {
  if (drafts.length > 0) return browserKept.setItem(key, JSON.stringify(drafts.slice(0, MAX_DRAFTS)));
  browserKept.removeItem(key);
  return true;
}

/** Keeps a draft in the place of the one with its id. False where the browser cannot keep it for another visit. */
export function keepDraft(key: string, draft: Draft): boolean {
  const others = readDrafts(key, draft.savedAt).filter(({ id }) => id !== draft.id);
  return write(key, [draft, ...others]);
}

export function dropDraft(key: string, id: string): void {
  write(
    key,
    readDrafts(key).filter((draft) => draft.id !== id),
  );
}

/** Lets go of what has grown old, in whatever form; the ids of what stays. */
export function sweepDrafts(now = Date.now()): string[] {
  return browserKept
    .keys()
    .filter((key) => key.startsWith(PREFIX))
    .flatMap((key) => {
      const drafts = readDrafts(key, now);
      write(key, drafts);
      return drafts.map(({ id }) => id);
    });
}
