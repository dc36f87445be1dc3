import { Clock } from "lucide-react";
import { Link } from "react-router";
import type { Case } from "@/shared/api/types";
import { ago, momentOf } from "@/shared/format";
import { paths } from "@/shared/paths";
import { moderatorsReason } from "@/shared/reasons";
import { DECISIONS, KINDS, STATES } from "../reports";
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

/** A report, complaint or notice, whole, with what can be done about it. */
export function CaseItem({ report }: { report: Case }) {
  const href = hrefOf(report);
  const waits = report.state === "open" || report.state === "appealed";
  const late = waits && new Date(report.dueAt).getTime() < Date.now();
  const by = [report.reporterName, report.reporterEmail].filter(Boolean).join(", ");
  return (
    <article className="panel case" aria-labelledby={`case-${report._id}`}>
      <div className="case-head">
        <span className="badge">{KINDS[report.kind]}</span>
        <span className="badge">{STATES[report.state]}</span>
        {waits && (
          <span className={late ? "case-due error" : "case-due hint num"}>
            <Clock className="icon s" />
            {late ? `Was due ${ago(report.dueAt)}` : `Due ${momentOf(report.dueAt)}`}
          </span>
        )}
      </div>
      <h2 id={`case-${report._id}`}>{report.subject || "Something without a name"}</h2>
      <p className="held-meta">
        <span>{moderatorsReason(report.reason)}</span>
        <span>Came {ago(report.createdAt)}</span>
        <span className="num">No. {report.number}</span>
        {by && <span>By {by}</span>}
        {href && (
          <Link className="link" to={href}>
            Look at it
          </Link>
        )}
        {report.concernedId !== "" && (
          <Link className="link" to={`${paths.adminPeople}?who=${report.concernedId}`}>
            Whose it is
          </Link>
        )}
      </p>
      <dl className="case-said">
        {report.text && <Said title="What was reported">{report.text}</Said>}
        {report.decision && (
          <Said title="Decision">
            {[DECISIONS[report.decision], report.reasons].filter(Boolean).join(". ")}
          </Said>
        )}
        {report.appeal && <Said title="Appeal">{report.appeal}</Said>}
        {report.appealReasons && <Said title="What became of the appeal">{report.appealReasons}</Said>}
      </dl>
      {report.assets.length > 0 && (
        <p className="hint num">
          {report.assets.length === 1 ? "One picture" : `${report.assets.length} pictures`} with this hash
        </p>
      )}
      {report.state === "open" && <DecideCase report={report} />}
      {report.state === "appealed" && <DecideAppeal report={report} />}
    </article>
  );
}
