import { queryOptions } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import type { TagCategory } from "@/shared/api/types";

/** How many characters the reader may see under each tag. */
export const tagCountsOptions = queryOptions({
  queryKey: ["characters", "categories"],
  queryFn: ({ signal }) => api.get<{ categories: TagCategory[] }>("categories", { signal }),
  select: ({ categories }) =>
    new Map(categories.flatMap((group) => group.tags).map((tag) => [tag.slug, tag.characters])),
});
