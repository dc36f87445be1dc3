import type { ReactNode } from "react";
import { ApiError, messageOf } from "@/shared/api/errors";
import { plural } from "@/shared/format";
import { useMinLoading } from "@/shared/hooks/useMinLoading";
import { MIN_LOADING_MS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { Button, ButtonLink, Empty, Failure } from "@/shared/ui";

interface QueueProps {
  /** The query of the queue, as far as it is told here. */
  list: {
    isPending: boolean;
    error: Error | null;
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    refetch: () => unknown;
    fetchNextPage: () => unknown;
  };
  /** How many wait; undefined while that is not known. */
  total: number | undefined;
  /** `character`, `picture`. */
  what: string;
  /** In which order they stand. */
  order?: string;
  children: ReactNode;
}

const BONES = ["first", "second"];

/** A list of what waits, with all its states. */
export function Queue({ list, total, what, order = "the longest waiting first", children }: QueueProps) {
  const loading = useMinLoading(list.isPending, MIN_LOADING_MS);
  if (loading) {
    return (
      <div className="queue" role="status" aria-label={`Loading ${what}s`}>
        {BONES.map((key) => (
          <div className="panel queue-bone bone" key={key} />
        ))}
      </div>
    );
  }
  if (list.error instanceof ApiError && list.error.code === "two_step_required") {
    return (
      <Empty
        title={list.error.message}
        action={
          <ButtonLink look="lit" to={paths.accountTab("security")}>
            Turn it on
          </ButtonLink>
        }
      >
        What waits here is opened by a login with a second step only. Log in again once it is on.
      </Empty>
    );
  }
  if (total === undefined) {
    return (
      <Failure
        message={messageOf(list.error, `Failed to load ${what}s. Please try again.`)}
        onRetry={() => void list.refetch()}
      />
    );
  }
  if (total === 0) return <Empty title="Nobody waits">Every {what} has been looked at.</Empty>;
  return (
    <div className="queue">
      <p className="text-2 num">
        {plural(total, what)} to look at, {order}.
      </p>
      {children}
      {list.hasNextPage && (
        <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Load More
        </Button>
      )}
    </div>
  );
}
