import type { ReactNode } from "react";
import { useMinLoading } from "../hooks/useMinLoading";
import { useMessages } from "../i18n";
import { MIN_LOADING_MS } from "../limits";
import { Button } from "./Button";
import { Failure } from "./Empty";

/** An infinite query, as far as a list shows it. */
export interface GrowingQuery {
  isPending: boolean;
  isError: boolean;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  refetch: () => unknown;
  fetchNextPage: () => unknown;
}

interface PagedListProps {
  list: GrowingQuery;
  /** How many have come. */
  count: number;
  /** What a screen reader hears while they come: `Loading reports`. */
  loading: string;
  /** What stands in their place meanwhile, in a box of the list's own class. */
  bones: ReactNode;
  className: string;
  /** The sentence for a list, or a page of it, that did not load. */
  failure: string;
  /** In place of a list that holds nothing. */
  empty: ReactNode;
  children: ReactNode;
}

/** A list that grows by Load More, with all its states: loading, failed, empty, more to come, done. */
export function PagedList({
  list,
  count,
  loading: waiting,
  bones,
  className,
  failure,
  empty,
  children,
}: PagedListProps) {
  const t = useMessages("ui");
  const loading = useMinLoading(list.isPending, MIN_LOADING_MS);
  if (loading) {
    return (
      <div className={className} role="status" aria-label={waiting}>
        {bones}
      </div>
    );
  }
  if (list.isError && count === 0) return <Failure message={failure} onRetry={() => void list.refetch()} />;
  if (count === 0 && !list.hasNextPage) return empty;
  return (
    <>
      {children}
      {list.hasNextPage && (
        <div className="list-end">
          {list.isError && <p role="alert">{failure}</p>}
          <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {t(list.isError ? "tryAgain" : "loadMore")}
          </Button>
        </div>
      )}
    </>
  );
}
