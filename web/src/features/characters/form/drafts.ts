import { DRAFTS_PREFIX } from "@/shared/begun";
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

type Store = Pick<Storage, "getItem" | "setItem" | "removeItem">;

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
export function readDrafts(key: string, now = Date.now(), storage: Store = localStorage): Draft[] {
  try {
    const kept: unknown = JSON.parse(storage.getItem(key) ?? "[]");
    return (Array.isArray(kept) ? kept : [])
      .map(draftOf)
      .filter((draft) => draft !== null && now - draft.savedAt < MAX_AGE_MS)
      .sort((a, b) => (b?.savedAt ?? 0) - (a?.savedAt ?? 0)) as Draft[];
  } catch {
    return [];
  }
}

function write(key: string, drafts: readonly Draft[], storage: Store): boolean {
  try {
    if (drafts.length === 0) storage.removeItem(key);
    else storage.setItem(key, JSON.stringify(drafts.slice(0, MAX_DRAFTS)));
    return true;
  } catch {
    // Full, or closed to us.
    return false;
  }
}

/** Keeps a draft in the place of the one with its id. False where the browser cannot keep it. */
export function keepDraft(key: string, draft: Draft, storage: Store = localStorage): boolean {
  const others = readDrafts(key, draft.savedAt, storage).filter(({ id }) => id !== draft.id);
  return write(key, [draft, ...others], storage);
}

export function dropDraft(key: string, id: string, storage: Store = localStorage): void {
  write(
    key,
    readDrafts(key, Date.now(), storage).filter((draft) => draft.id !== id),
    storage,
  );
}

/** Lets go of what has grown old, in whatever form; the ids of what stays. */
export function sweepDrafts(now = Date.now(), storage: Storage = localStorage): string[] {
  return Object.keys(storage)
    .filter((key) => key.startsWith(PREFIX))
    .flatMap((key) => {
      const drafts = readDrafts(key, now, storage);
      write(key, drafts, storage);
      return drafts.map(({ id }) => id);
    });
}
