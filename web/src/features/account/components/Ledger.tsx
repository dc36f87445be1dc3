import type { ReactNode } from "react";
import { Button, type GrowingQuery } from "@/shared/ui";
import { useMessages } from "../i18n";

interface LedgerProps {
  /** Names the list, and its heading on the page. */
  id: string;
  title: string;
  /** What a screen reader hears while the lines come. */
  loading: string;
  lead?: ReactNode;
  list: GrowingQuery;
  failed: string;
  empty: string;
  /** One `li` for each line; null while nothing has come. */
  lines: ReactNode[] | null;
}

const BONES = ["first", "second", "third"];

/** Lines of money or coins, the newest first, with all the states of a list. */
export function Ledger({ id, title, loading, lead, list, failed, empty, lines }: LedgerProps) {
  const t = useMessages("ledger");
  return (
    <section className="ledger" aria-labelledby={`ledger-${id}`}>
      <div className="ledger-head">
        <h2 id={`ledger-${id}`}>{title}</h2>
        {lead}
      </div>
      {list.isPending ? (
        <div className="ledger-bones" role="status" aria-label={loading}>
          {BONES.map((key) => (
            <span className="bone" key={key} />
          ))}
        </div>
      ) : lines === null ? (
        <p className="ledger-failed" role="alert">
          <span className="error">{failed}</span>
          <Button size="small" onClick={() => void list.refetch()}>
            {t("tryAgain")}
          </Button>
        </p>
      ) : lines.length === 0 ? (
        <p className="text-2">{empty}</p>
      ) : (
        <>
          <ul className="ledger-lines">{lines}</ul>
          {list.hasNextPage && (
            <Button size="small" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
              {t("more")}
            </Button>
          )}
        </>
      )}
    </section>
  );
}
