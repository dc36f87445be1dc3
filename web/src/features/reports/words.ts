import type { Report } from "@/shared/api/types";
import { dayOf } from "@/shared/format";
import type { Language } from "@/shared/store";
import type { messages } from "./i18n";

/** How what follows is said: in the reader's language. */
export type Say = ReturnType<typeof messages<"reports">>;

export function titleOf(report: Report, t: Say): string {
  const subject = report.subject || t("something");
  return report.concernsReader ? t("about", { subject }) : t("kindOf", { kind: t(report.kind), subject });
}

/** What was decided, as the person who reads it sees it. */
const decisionOf = (decision: Report["decision"], t: Say): string | null =>
  decision && t(decision === "none" ? "none_done" : decision);

export interface Step {
  title: string;
  /** When it happened; null for what is still to come. */
  when: string | null;
  /** What was said at this step. */
  text: string | null;
}

/** The way of a report, from its receipt to the answer to an appeal. */
export function stepsOf(report: Report, t: Say, language: Language): Step[] {
  const steps: Step[] = [
    {
      title: t(report.concernsReader ? "lookedAt" : "received"),
      when: report.createdAt,
      text: report.text || null,
    },
  ];
  if (!report.decidedAt)
    return [
      ...steps,
      { title: t("decideBy", { day: dayOf(report.dueAt, language) }), when: null, text: null },
    ];
  const decision = decisionOf(report.decision, t);
  steps.push({
    title: decision ? t("decidedSo", { decision }) : t("decided"),
    when: report.decidedAt,
    text: report.reasons,
  });
  if (report.appealedAt) {
    steps.push({ title: t("appealed"), when: report.appealedAt, text: report.appeal });
    steps.push(
      report.appealReasons
        ? { title: t("appealDecided"), when: null, text: report.appealReasons }
        : { title: t("appealWaits"), when: null, text: null },
    );
  }
  return steps;
}

/** One appeal, against a decision that stands. */
export function canAppeal(report: Report): boolean {
  return report.state === "decided" && report.appealedAt === null;
}
