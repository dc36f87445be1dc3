import { type ReactNode, useRef } from "react";
import { ApiError, messageOf } from "@/shared/api/errors";
import { plural } from "@/shared/format";
import { useKeptFocus } from "@/shared/hooks/useKeptFocus";
import { paths } from "@/shared/paths";
import { ButtonLink, Empty, PagedList } from "@/shared/ui";

interface QueueProps {
  /** The query of the queue, as far as it is told here. */
  list: {
    isPending: boolean;
    isError: boolean;
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

/** Roles count only after the second step: what to do about it. */
function SecondStep({ title }: { title: string }) {
  return (
    <Empty
      title={title}
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

/** A list of what waits, with all its states. What was decided about goes from it, and the focus stays. */
export function Queue({ list, total = 0, what, order = "the longest waiting first", children }: QueueProps) {
  const box = useRef<HTMLDivElement>(null);
  useKeptFocus(box, `${total}`);
  if (list.error instanceof ApiError && list.error.code === "two_step_required") {
    return <SecondStep title={list.error.message} />;
  }
  return (
    <div className="queue-room" ref={box} tabIndex={-1}>
      <PagedList
        list={list}
        count={total}
        className="queue"
        loading={`Loading ${what}s`}
        bones={BONES.map((key) => <div className="panel queue-bone bone" key={key} />)}
        failure={messageOf(list.error, `Failed to load ${what}s. Please try again.`)}
        empty={<Empty title="Nobody waits">Every {what} has been looked at.</Empty>}
      >
        <div className="queue">
          <p className="text-2 num">
            {plural(total, what)} to look at, {order}.
          </p>
          {children}
        </div>
      </PagedList>
    </div>
  );
}
