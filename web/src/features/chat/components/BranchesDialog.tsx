import { useQuery } from "@tanstack/react-query";
import { CircleDot, GitFork } from "lucide-react";
import { cut } from "@/shared/brief";
import { Dialog, Failure } from "@/shared/ui";
import { treeOptions } from "../api";
import { useMessages } from "../i18n";
import { flat } from "../prose";
import { branchesOf, type Row, rowsOf } from "../tree";
import { useTimes } from "../useTimes";

/** The server tells at most so many characters of a message's beginning. */
const PREVIEW_CHARS = 80;

/** Steps in that can be told apart on a phone. */
const MAX_STEPS = 4;

interface BranchRowProps {
  row: Row;
  character: string;
  own: string;
  onGo: (messageId: string) => void;
}

function BranchRow({ row: { branch, depth }, character, own, onGo }: BranchRowProps) {
  const t = useMessages("branches");
  const { ago } = useTimes();
  const { first, last, count, shown, here, next } = branch;
  const text = flat(first.preview);
  // Cut at a word, with a sign that more was said.
  const more = first.preview.length >= PREVIEW_CHARS ? " …" : "";
  return (
    <li className={shown ? "branch shown" : "branch"} data-depth={Math.min(depth, MAX_STEPS)}>
      <button
        type="button"
        data-focus={here || undefined}
        aria-current={here ? "true" : undefined}
        onClick={() => onGo(first._id)}
      >
        <span className="branch-text">
          <b>{first.senderType === "user" ? own : character}</b>
          <span>{text === "" ? t("silent") : cut(`${text}${more}`, PREVIEW_CHARS)}</span>
        </span>
        <span className="branch-meta num">
          {here && (
            <span className="branch-here">
              <CircleDot className="icon" />
              {t("here")}
            </span>
          )}
          <span>{t("messages", { count })}</span>
          {next.length > 0 ? (
            <span>
              <GitFork className="icon" />
              {t("ways", { count: next.length })}
            </span>
          ) : (
            <time dateTime={last.createdAt}>{ago(last.createdAt)}</time>
          )}
        </span>
      </button>
    </li>
  );
}

interface BranchesDialogProps {
  chatId: string;
  character: string;
  own: string;
  /** Leads to a branch: to its newest end. */
  onGo: (messageId: string) => void;
  onClose: () => void;
}

/** The map of a chat: where it forked, and the way to every end. */
export function BranchesDialog({ chatId, character, own, onGo, onClose }: BranchesDialogProps) {
  const t = useMessages("branches");
  const talk = useMessages("talk");
  const title = useMessages("tools")("branches");
  const { data, isPending, refetch } = useQuery(treeOptions(chatId));
  const rows = data && rowsOf(branchesOf(data.nodes, data.leafId));
  const ends = rows?.filter(({ branch }) => branch.next.length === 0).length ?? 0;
  return (
    <Dialog open onClose={onClose} title={title} closable className="room branches-dialog">
      {rows ? (
        <>
          <p className="text-2">{ends === 1 ? t("straight") : t("ends", { count: ends })}</p>
          <ol className="branches">
            {rows.map((row) => (
              <BranchRow key={row.branch.first._id} {...{ row, character, own, onGo }} />
            ))}
          </ol>
        </>
      ) : isPending ? (
        <div className="sees-wait skeleton" role="status" aria-label={talk("waiting")}>
          <span className="bone w-92" />
          <span className="bone w-92" />
          <span className="bone w-60" />
        </div>
      ) : (
        <Failure message={t("failed")} onRetry={() => void refetch()} />
      )}
      {data?.hasMore && <p className="hint">{t("only", { count: data.nodes.length })}</p>}
    </Dialog>
  );
}
