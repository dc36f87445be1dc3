import { type InfiniteData, infiniteQueryOptions } from "@tanstack/react-query";
import { api, type QueryValue } from "../api/client";
import { ApiError } from "../api/errors";
import type { CharacterCard, CharacterList } from "../api/types";
import { PAGE_SIZE } from "../limits";
import { messages } from "./i18n";

/** What a list route answers: most say `hasMore`, the feed says `hasNextPage`. */
type ListAnswer = Pick<CharacterList, "characters"> & {
  hasMore?: boolean;
  hasNextPage?: boolean;
  total?: number;
  totalCapped?: boolean;
};

/** A page of any list; only a search says how many there are. */
export type ListPage = CharacterList & Pick<ListAnswer, "total" | "totalCapped">;

/** Query options of any paged list of characters under `/api/{path}`. Another sort or tag is another list, from page 1. */
export function characterList(path: string, query: Readonly<Record<string, QueryValue>> = {}) {
  return infiniteQueryOptions({
    queryKey: ["characters", path, query] as const,
    queryFn: async ({ pageParam, signal }): Promise<ListPage> => {
      const page = await api.get<ListAnswer>(path, {
        query: { ...query, page: pageParam, limit: PAGE_SIZE },
        signal,
      });
      const { characters, total, totalCapped } = page;
      return { characters, hasMore: page.hasMore ?? page.hasNextPage ?? false, total, totalCapped };
    },
    initialPageParam: 1,
    getNextPageParam: (last: ListPage, pages: ListPage[]) => (last.hasMore ? pages.length + 1 : undefined),
  });
}

/** All pages as one list; who moved between pages while one read appears once. */
export function allCharacters(data: InfiniteData<CharacterList> | undefined): CharacterCard[] {
  const seen = new Map<string, CharacterCard>();
  for (const page of data?.pages ?? []) {
    for (const character of page.characters) {
      if (!seen.has(character._id)) seen.set(character._id, character);
    }
  }
  return [...seen.values()];
}

/** What a list is of, as far as its messages tell it apart. */
type Listed = "characters" | "recommended" | "images";

/** The sentence for a list that did not load: refused, or no answer. */
export function listFailure(error: unknown, what: Listed = "characters"): string {
  const refused = error instanceof ApiError && !error.isNetwork;
  return messages("list")(refused ? "refused" : "noAnswer", { what });
}
