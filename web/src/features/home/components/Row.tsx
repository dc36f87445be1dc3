import { useUnblocked } from "@/shared/blocks";
import { useMinLoading } from "@/shared/hooks/useMinLoading";
import { MIN_LOADING_MS } from "@/shared/limits";
import { Failure, Playbill, PlaybillSkeletons } from "@/shared/ui";
import { type Row as RowName, useRow } from "../api";
import { useMessages } from "../i18n";
import { Shelf } from "./Shelf";

/** Cards in view at once on a wide screen; only the first row is near enough to the top for that to matter. */
const EAGER = 5;
const SKELETONS = 9;

/** One carousel of the home page, with what it shows while it loads and when it cannot. */
export function Row({ row }: { row: RowName }) {
  const t = useMessages("row");
  const { data, isPending, refetch } = useRow(row);
  const characters = useUnblocked(data ?? []);
  const loading = useMinLoading(isPending, MIN_LOADING_MS);
  const id = `row-${row}`;
  const title = t(row);
  if (loading) {
    return (
      <section className="section" aria-labelledby={id}>
        <div className="section-head row-head">
          <h2 id={id}>{title}</h2>
        </div>
        <div className="shelf" role="status" aria-label={t("loading")}>
          <PlaybillSkeletons count={SKELETONS} />
        </div>
        <div className="ticks" aria-hidden="true">
          <i />
        </div>
      </section>
    );
  }
  if (!data) {
    return (
      <section className="section" aria-labelledby={id}>
        <div className="section-head row-head">
          <h2 id={id}>{title}</h2>
        </div>
        <Failure message={t("failed")} onRetry={() => void refetch()} />
      </section>
    );
  }
  if (characters.length === 0) return null;
  return (
    <Shelf id={id} title={title} count={characters.length}>
      {characters.map((character, index) => (
        <Playbill key={character._id} character={character} eager={row === "featured" && index < EAGER} />
      ))}
    </Shelf>
  );
}
