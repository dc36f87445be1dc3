import { useQuery } from "@tanstack/react-query";
import { ArrowLeft } from "lucide-react";
import { Link, useParams } from "react-router";
import { ApiError } from "@/shared/api/errors";
import { dayOf } from "@/shared/format";
import { useMinLoading } from "@/shared/hooks/useMinLoading";
import { useTitle } from "@/shared/hooks/useTitle";
import { MIN_LOADING_MS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { useReasonLabel } from "@/shared/reasons";
import { ButtonLink, Empty, Failure } from "@/shared/ui";
import { reportOptions } from "../api";
import { AppealForm } from "../components/AppealForm";
import { canAppeal, stateOf, stepsOf, titleOf } from "../words";
import "../reports.css";

/** Where one report stands, step by step, and the appeal against what was decided. */
export default function ReportStand() {
  const reasonLabel = useReasonLabel();
  const number = useParams().number ?? "";
  const { data: report, isPending, error, refetch } = useQuery(reportOptions(number));
  const loading = useMinLoading(isPending, MIN_LOADING_MS);
  useTitle(`Report ${number}`);
  if (loading) {
    return (
      <div className="page-head" role="status" aria-label="Loading report">
        <h1 className="num">{number}</h1>
        <span className="bone w-60" />
      </div>
    );
  }
  if (!report) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 400)) {
      return (
        <Empty
          page
          title="No such number"
          action={
            <ButtonLink look="lit" to={paths.reports}>
              Try another
            </ButtonLink>
          }
        >
          It begins with TR and stands on the receipt in your mail.
        </Empty>
      );
    }
    return <Failure page message="The report could not be loaded." onRetry={() => void refetch()} />;
  }
  return (
    <>
      <header className="page-head">
        <Link className="link back-link" to={paths.reports}>
          <ArrowLeft className="icon s" />
          My reports
        </Link>
        <h1>{titleOf(report)}</h1>
        <p className="num">
          <span className="badge">{stateOf(report)}</span> {report.number}
        </p>
      </header>
      <dl className="report-facts">
        <dt>Ground</dt>
        <dd>{reasonLabel(report.reason)}</dd>
      </dl>
      <ol className="report-steps">
        {stepsOf(report).map((step) => (
          <li key={step.title} data-done={step.when !== null || undefined}>
            <b>{step.title}</b>
            {step.when && <span className="text-3 num">{dayOf(step.when)}</span>}
            {step.text && <p>{step.text}</p>}
          </li>
        ))}
      </ol>
      {canAppeal(report) && <AppealForm number={report.number} />}
    </>
  );
}
