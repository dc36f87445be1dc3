import { queryOptions } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import type { Character, LoreBook, Lorebook, LoreEntry, SearchPage } from "@/shared/api/types";

export const loreKeys = {
  all: ["lorebooks"],
  book: (id: string) => ["lorebooks", id],
} as const;

export const lorebooksOptions = queryOptions({
  queryKey: loreKeys.all,
  queryFn: ({ signal }) => api.get<{ lorebooks: Lorebook[] }>("lorebooks", { signal }),
  select: (answer) => answer.lorebooks,
});

export const lorebookOptions = (id: string) =>
  queryOptions({
    queryKey: loreKeys.book(id),
    queryFn: ({ signal }) => api.get<{ lorebook: Lorebook }>(`lorebooks/${id}`, { signal }),
    select: (answer) => answer.lorebook,
  });

/** A character a lorebook is for. */
export type Partner = Pick<Character, "_id" | "name" | "imageUrl">;

/** Characters by a part of their name. */
export const findCharactersOptions = (words: string) =>
  queryOptions({
    queryKey: ["characters", "find", words],
    queryFn: ({ signal }) => api.get<SearchPage>("search", { signal, query: { keywords: words } }),
    select: (page): Partner[] => page.characters.filter(({ locked }) => !locked),
  });

export const partnerOptions = (id: string) =>
  queryOptions({
    queryKey: ["lorebooks", "partner", id],
    queryFn: ({ signal }) =>
      api.get<{ character: Partner }>(`character/${encodeURIComponent(id)}`, { signal }),
    select: (answer) => answer.character,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** A lorebook as it is now, to be kept in case its deletion is undone. */
export const fetchLorebook = (id: string) => api.get<{ lorebook: Lorebook }>(`lorebooks/${id}`);

export interface Draft {
  name: string;
  enabled: boolean;
  characterIds: string[];
  book: LoreBook;
}

interface Kept {
  lorebook: Lorebook;
  /** Entries of an import that were left out, a sentence each. */
  skipped: string[];
}

/** Keeps a lorebook, a new one where `id` is null. */
export const keepLorebook = (id: string | null, draft: Draft) =>
  id === null
    ? api.post<Kept>("lorebooks", { json: draft })
    : api.put<Kept>(`lorebooks/${id}`, { json: draft });

/** Makes a lorebook of a file: `lorebook_v3`, a card's `character_book`, or SillyTavern's world info. */
export const importLorebook = (content: object, name: string) =>
  api.post<Kept>("lorebooks", { json: { name, import: content } });

export const deleteLorebook = (id: string) => api.delete<unknown>(`lorebooks/${id}`);

export const emptyEntry: LoreEntry = {
  name: "",
  keys: [],
  secondaryKeys: [],
  logic: "andAny",
  content: "",
  enabled: true,
  constant: false,
  order: 100,
  position: "afterCharacter",
  priority: null,
  depth: null,
  scanDepth: null,
  caseSensitive: false,
  wholeWords: true,
  regex: false,
};

export const emptyDraft: Draft = {
  name: "",
  enabled: true,
  characterIds: [],
  book: { entries: [], recursive: false, scanDepth: null, tokenBudget: null },
};

/** A lorebook as it goes back to the server: whole, but for what the server keeps by itself. */
export const draftOf = ({ name, enabled, characterIds, book }: Lorebook): Draft => ({
  name,
  enabled,
  characterIds,
  book: book ?? emptyDraft.book,
});

/** `fire, ashes` as two keys. A regular expression may hold commas, so each line is one. */
export const keysOf = (text: string, regex: boolean): string[] =>
  text
    .split(regex ? "\n" : /[,\n]/)
    .map((key) => key.trim())
    .filter(Boolean);
export const keyText = (keys: readonly string[], regex: boolean) => keys.join(regex ? "\n" : ", ");
