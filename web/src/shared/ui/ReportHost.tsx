import { lazy, Suspense } from "react";
import { useReportQuestion } from "../report";

const ReportDialog = lazy(() => import("./ReportDialog"));

/** The report dialog, wherever it was asked for; its code comes with the first question. */
export function ReportHost() {
  const subject = useReportQuestion((state) => state.subject);
  const close = useReportQuestion((state) => state.close);
  if (!subject) return null;
  return (
    <Suspense>
      <ReportDialog key={`${subject.kind} ${subject.id}`} subject={subject} onClose={close} />
    </Suspense>
  );
}
