import { useQuery } from "@tanstack/react-query";
import { ApiError } from "@/shared/api/errors";
import { dayOf } from "@/shared/format";
import { useMinLoading } from "@/shared/hooks/useMinLoading";
import { useTitle } from "@/shared/hooks/useTitle";
import { useSpoken } from "@/shared/i18n";
import { MIN_LOADING_MS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { useReasonLabel } from "@/shared/reasons";
import { useParams } from "@/shared/router";
import { BackLink, ButtonLink, Empty, Failure } from "@/shared/ui";
import { reportOptions } from "../api";
import { AppealForm } from "../components/AppealForm";
import { useMessages } from "../i18n";
import { canAppeal, stepsOf, titleOf } from "../words";
import "../reports.css";

/** Where one report stands, step by step, and the appeal against what was decided. */
export default function ReportStand() {
  const t = useMessages("reports");
  const language = useSpoken((state) => state.language);
  const reasonLabel = useReasonLabel();
  const number = useParams().number ?? "";
  const { data: report, isPending, error, refetch } = useQuery(reportOptions(number));
  const loading = useMinLoading(isPending, MIN_LOADING_MS);
  useTitle(t("tab", { number }));
  if (loading) {
    return (
      <div className="page-head" role="status" aria-label={t("loadingOne")}>
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
          title={t("noNumber")}
          action={
            <ButtonLink look="lit" to={paths.reports}>
              {t("another")}
            </ButtonLink>
          }
        >
          {t("noNumberText")}
        </Empty>
      );
    }
    return <Failure page message={t("failedOne")} onRetry={() => void refetch()} />;
  }
  return (
    <>
      <header className="page-head">
        <BackLink to={paths.reports}>{t("title")}</BackLink>
        <h1>{titleOf(report, t)}</h1>
        <p>
          <span className="badge">{t(report.state)}</span>
        </p>
      </header>
      <div className="report-stand">
        <dl className="panel report-facts">
          <div>
            <dt>{t("number")}</dt>
            <dd className="num">{report.number}</dd>
          </div>
          <div>
            <dt>{t("ground")}</dt>
            <dd>{reasonLabel(report.reason)}</dd>
          </div>
        </dl>
        <ol className="report-steps">
          {stepsOf(report, t, language).map((step) => (
            <li key={step.title} data-done={step.when !== null || undefined}>
              <b>{step.title}</b>
              {step.when && <span className="text-3 num">{dayOf(step.when, language)}</span>}
              {step.text && <p>{step.text}</p>}
            </li>
          ))}
        </ol>
      </div>
      {canAppeal(report) && <AppealForm number={report.number} />}
    </>
  );
}
