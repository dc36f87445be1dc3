/** Sort orders, with the label readers see. The first is the default. */
export const SORTS = [
  { label: "Most Liked", list: "mostLiked" },
  { label: "Popular", list: "popular" },
  { label: "Trending", list: "trending" },
  { label: "Recent Hits", list: "recentHits" },
  { label: "New", list: "new" },
] as const;

export type SortLabel = (typeof SORTS)[number]["label"];
export const DEFAULT_SORT: SortLabel = "Most Liked";

/** The order of the Following feed's labels; its default is Popular. */
export const FEED_SORTS: readonly SortLabel[] = ["Popular", "Trending", "Recent Hits", "Most Liked", "New"];

export function isSort(text: string | null): text is SortLabel {
  return SORTS.some((sort) => sort.label === text);
}

/** As `search` spells it: lowercase, the first space removed. */
export const searchSort = (label: SortLabel) => label.toLowerCase().replace(" ", "");

/** As tag lists and For You spell it. */
export const listSort = (label: SortLabel) => SORTS.find((sort) => sort.label === label)?.list ?? "mostLiked";

/** As the feed of followed creators spells it: lowercase, spaces as hyphens. */
export const feedSort = (label: SortLabel) => label.toLowerCase().replaceAll(" ", "-");
