import { useCallback } from "react";
import { DEFAULT_SORT, isSort, type SortName } from "../catalog/sorts";
import { useSearchParams } from "../router";

/** The sort order of a list, kept in the address (`?sort=`) so that Back and a reload find it again. */
export function useSort(fallback: SortName = DEFAULT_SORT): [SortName, (sort: SortName) => void] {
  const [params, setParams] = useSearchParams();
  const stored = params.get("sort");
  const set = useCallback(
    (sort: SortName) =>
      setParams(
        (before) => {
          const next = new URLSearchParams(before);
          if (sort === fallback) next.delete("sort");
          else next.set("sort", sort);
          return next;
        },
        { replace: true },
      ),
    [setParams, fallback],
  );
  return [isSort(stored) ? stored : fallback, set];
}
