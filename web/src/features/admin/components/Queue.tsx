import { type ReactNode, useRef } from "react";
import { ApiError, messageOf } from "@/shared/api/errors";
import { useKeptFocus } from "@/shared/hooks/useKeptFocus";
import { paths } from "@/shared/paths";
import { ButtonLink, Empty, PagedList } from "@/shared/ui";
import { useMessages } from "../i18n";

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
  what: "characters" | "pictures" | "reports";
  children: ReactNode;
}

const BONES = ["first", "second"];

/** Roles count only after the second step: what to do about it. */
function SecondStep({ title }: { title: string }) {
  const t = useMessages("queue");
  return (
    <Empty
      title={title}
      action={
        <ButtonLink look="lit" to={paths.accountTab("security")}>
          {t("turnOn")}
        </ButtonLink>
      }
    >
      {t("secondStep")}
    </Empty>
  );
}

/** A list of what waits, with all its states. What was decided about goes from it, and the focus stays. */
export function Queue({ list, total = 0, what, children }: QueueProps) {
  const t = useMessages("queue");
  const their = useMessages(what);
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
        loading={their("loading")}
        bones={BONES.map((key) => <div className="panel queue-bone bone" key={key} />)}
        failure={messageOf(list.error, their("failed"))}
        empty={<Empty title={t("none")}>{their("done")}</Empty>}
      >
        <div className="queue">
          <p className="text-2 num">{their("total", { count: total })}</p>
          {children}
        </div>
      </PagedList>
    </div>
  );
}
