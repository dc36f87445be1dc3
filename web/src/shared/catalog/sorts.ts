/** Sort orders, by the name that stands in addresses. The first is the default. */
export const SORTS = [
  { name: "Most Liked", list: "mostLiked" },
  { name: "Popular", list: "popular" },
  { name: "Trending", list: "trending" },
  { name: "Recent Hits", list: "recentHits" },
  { name: "New", list: "new" },
] as const;

export type SortName = (typeof SORTS)[number]["name"];
export const DEFAULT_SORT: SortName = "Most Liked";

/** Those of the Following feed, in its order; its default is Popular. */
export const FEED_SORTS: readonly SortName[] = ["Popular", "Trending", "Recent Hits", "Most Liked", "New"];

export function isSort(text: string | null): text is SortName {
  return SORTS.some((sort) => sort.name === text);
}

/** As `search` spells it: lowercase, the first space removed. */
export const searchSort = (name: SortName) => name.toLowerCase().replace(" ", "");

/** As tag lists and For You spell it. */
export const listSort = (name: SortName) => SORTS.find((sort) => sort.name === name)?.list ?? "mostLiked";

/** As the feed of followed creators spells it: lowercase, spaces as hyphens. */
export const feedSort = (name: SortName) => name.toLowerCase().replaceAll(" ", "-");
