import { useMessages } from "./ui/i18n";

/** Why something can be reported, as `POST reports` spells it, in the order people see. */
export const REPORT_REASONS = [
  "minor",
  "hate",
  "illegal",
  "privacy",
  "impersonation",
  "copyright",
  "spam",
  "other",
] as const;
export type ReportReason = (typeof REPORT_REASONS)[number];

export const isReason = (reason: string): reason is ReportReason =>
  REPORT_REASONS.some((known) => known === reason);

/** Says a reason to people; a ground of another kind stays as it came. */
export function useReasonLabel(): (reason: string) => string {
  const t = useMessages("reason");
  return (reason) => (isReason(reason) ? t(reason) : reason);
}

/** The reasons to choose from. */
export function useReasonOptions(): { value: ReportReason; label: string }[] {
  const t = useMessages("reason");
  return REPORT_REASONS.map((value) => ({ value, label: t(value) }));
}
