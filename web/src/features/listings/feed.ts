import { infiniteQueryOptions } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import type { CharacterCard, CharacterList } from "@/shared/api/types";
import type { SortLabel } from "@/shared/catalog/sorts";
import { PAGE_SIZE } from "@/shared/limits";

/** Creators whose characters make up one page of the feed. */
export const CREATORS_PER_PAGE = 8;
/** A hit is recent for this long after publication, ms. */
const RECENT_MS = 30 * 24 * 60 * 60 * 1000;

type Order = (a: CharacterCard, b: CharacterCard) => number;
const byDate: Order = (a, b) => b.createdAt.localeCompare(a.createdAt);
const ORDERS: Record<SortLabel, Order> = {
  Popular: (a, b) => b.chats - a.chats,
  Trending: (a, b) => b.messages - a.messages,
  "Recent Hits": (a, b) => b.likes - a.likes,
  "Most Liked": (a, b) => b.likes - a.likes,
  New: byDate,
};

/** Puts a page of the feed in order; 'Recent Hits' puts what is older than 30 days last. `now` in ms. */
export function inOrder(
  characters: readonly CharacterCard[],
  sort: SortLabel,
  now = Date.now(),
): CharacterCard[] {
  const ordered = [...characters].sort((a, b) => ORDERS[sort](a, b) || byDate(a, b));
  if (sort !== "Recent Hits") return ordered;
  const recent = (character: CharacterCard) => now - Date.parse(character.createdAt) <= RECENT_MS;
  return [...ordered.filter(recent), ...ordered.filter((character) => !recent(character))];
}

/** Characters by the creators one follows: page by page, some creators at a time, newest followed first. */
export const followedFeed = (creatorIds: readonly string[], sort: SortLabel) =>
  infiniteQueryOptions({
    queryKey: ["characters", "feed", creatorIds, sort] as const,
    queryFn: async ({ pageParam, signal }): Promise<CharacterList> => {
      const start = (pageParam - 1) * CREATORS_PER_PAGE;
      const lists = await Promise.all(
        creatorIds.slice(start, start + CREATORS_PER_PAGE).map((creator) =>
          api.get<CharacterList>("characters/tag/me", {
            query: { creator, page: 1, limit: PAGE_SIZE },
            signal,
          }),
        ),
      );
      return {
        characters: inOrder(
          lists.flatMap((list) => list.characters),
          sort,
        ),
        hasMore: start + CREATORS_PER_PAGE < creatorIds.length,
      };
    },
    initialPageParam: 1,
    getNextPageParam: (last: CharacterList, pages: CharacterList[]) =>
      last.hasMore ? pages.length + 1 : undefined,
  });
