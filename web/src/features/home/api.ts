import { queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import type { CharacterCard } from "@/shared/api/types";

/** The home page's two rows of nine. */
export type Row = "featured" | "trending";

export const rowOptions = (row: Row) =>
  queryOptions({
    queryKey: ["characters", row],
    queryFn: ({ signal }) =>
      api
        .get<{ characters: CharacterCard[] }>(`characters/${row}`, { signal })
        .then((page) => page.characters),
  });

export const useRow = (row: Row, enabled = true) => useQuery({ ...rowOptions(row), enabled });
