import { lazy } from "react";
import { messagesArrived } from "../i18n";
import { useReportQuestion } from "../report";
import { Optional } from "./Optional";

const ReportDialog = lazy(async () => {
  const dialog = await import("./ReportDialog");
  await messagesArrived();
  return dialog;
});

/** The report dialog, wherever it was asked for; its code comes with the first question. */
export function ReportHost() {
  const subject = useReportQuestion((state) => state.subject);
  const close = useReportQuestion((state) => state.close);
  if (!subject) return null;
  return (
    <Optional onLost={close}>
      <ReportDialog key={`${subject.kind} ${subject.id}`} subject={subject} onClose={close} />
    </Optional>
  );
}
