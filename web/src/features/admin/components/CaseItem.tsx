import { Clock } from "lucide-react";
import type { Case } from "@/shared/api/types";
import { ago, momentOf } from "@/shared/format";
import { paths } from "@/shared/paths";
import { isReason } from "@/shared/reasons";
import { Link } from "@/shared/router";
import { useMessages } from "../i18n";
import { DecideAppeal, DecideCase } from "./CaseVerdict";

/** Where the subject can be looked at; reviews and people have no page by their id. */
const hrefOf = ({ subjectKind, subjectId }: Case) =>
  subjectKind === "character" && subjectId !== "" ? paths.character(subjectId) : null;

function Said({ title, children }: { title: string; children: string }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** What has been said so far, and what was decided. */
function History({ report: { text, decision, reasons, appeal, appealReasons } }: { report: Case }) {
  const t = useMessages("case");
  const name = useMessages("decision");
  return (
    <dl className="case-said">
      {text && <Said title={t("reported")}>{text}</Said>}
      {decision && (
        <Said title={t("decision")}>
          {reasons ? t("decided", { decision: name(decision), reasons }) : name(decision)}
        </Said>
      )}
      {appeal && <Said title={t("appeal")}>{appeal}</Said>}
      {appealReasons && <Said title={t("outcome")}>{appealReasons}</Said>}
    </dl>
  );
}

/** A report, complaint or notice, whole, with what can be done about it. */
export function CaseItem({ report }: { report: Case }) {
  const t = useMessages("case");
  const queue = useMessages("queue");
  const kind = useMessages("kind");
  const state = useMessages("state");
  const reason = useMessages("reason");
  const href = hrefOf(report);
  const waits = report.state === "open" || report.state === "appealed";
  const late = waits && new Date(report.dueAt).getTime() < Date.now();
  const who = [report.reporterName, report.reporterEmail].filter(Boolean).join(", ");
  return (
    <article className="panel case" aria-labelledby={`case-${report._id}`}>
      <div className="case-head">
        <span className="badge">{kind(report.kind)}</span>
        <span className="badge">{state(report.state)}</span>
        {waits && (
          <span className={late ? "case-due error" : "case-due hint num"}>
            <Clock className="icon s" />
            {late ? t("wasDue", { when: ago(report.dueAt) }) : t("due", { moment: momentOf(report.dueAt) })}
          </span>
        )}
      </div>
      <h2 id={`case-${report._id}`}>{report.subject || t("nameless")}</h2>
      <p className="held-meta">
        <span>{isReason(report.reason) ? reason(report.reason) : report.reason}</span>
        <span>{queue("came", { when: ago(report.createdAt) })}</span>
        <span className="num">{t("number", { number: report.number })}</span>
        {who && <span>{t("by", { who })}</span>}
        {href && (
          <Link className="link" to={href}>
            {t("look")}
          </Link>
        )}
        {report.concernedId !== "" && (
          <Link className="link" to={`${paths.adminPeople}?who=${report.concernedId}`}>
            {t("whose")}
          </Link>
        )}
      </p>
      <History report={report} />
      {report.assets.length > 0 && (
        <p className="hint num">{t("sameHash", { count: report.assets.length })}</p>
      )}
      {report.state === "open" && <DecideCase report={report} />}
      {report.state === "appealed" && <DecideAppeal report={report} />}
    </article>
  );
}
