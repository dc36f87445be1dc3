import type { Report } from "@/shared/api/types";
import { dayOf } from "@/shared/format";

const KINDS: Record<Report["kind"], string> = {
  report: "Report",
  complaint: "Complaint",
  removal: "Removal request",
  dmca: "Copyright notice",
  counter_notice: "Counter-notice",
  intimate_image: "Intimate image",
};

/** What was decided, as the person who reads it sees it. */
const DECISIONS: Record<NonNullable<Report["decision"]>, string> = {
  none: "Nothing was changed.",
  limit: "It is shown less.",
  quarantine: "It is hidden while it is looked into.",
  remove: "It was removed.",
  restore: "It was put back.",
  suspend: "The account is suspended.",
};

export function titleOf(report: Report): string {
  const subject = report.subject || "something";
  if (report.concernsReader) return `A decision about ${subject}`;
  return `${KINDS[report.kind]}: ${subject}`;
}

/** Where it stands, in a word or two. */
export function stateOf({ state }: Pick<Report, "state">): string {
  return { open: "Open", decided: "Decided", appealed: "Appealed", closed: "Closed" }[state];
}

export function decisionOf(decision: Report["decision"]): string | null {
  return decision && DECISIONS[decision];
}

export interface Step {
  title: string;
  /** When it happened; null for what is still to come. */
  when: string | null;
  /** What was said at this step. */
  text: string | null;
}

/** The way of a report, from its receipt to the answer to an appeal. */
export function stepsOf(report: Report): Step[] {
  const steps: Step[] = [
    {
      title: report.concernsReader ? "Looked at" : "Received",
      when: report.createdAt,
      text: report.text || null,
    },
  ];
  if (!report.decidedAt)
    return [...steps, { title: `To be decided by ${dayOf(report.dueAt)}`, when: null, text: null }];
  const decision = decisionOf(report.decision);
  steps.push({
    title: decision ? `Decided: ${decision}` : "Decided",
    when: report.decidedAt,
    text: report.reasons,
  });
  if (report.appealedAt) {
    steps.push({ title: "Appealed", when: report.appealedAt, text: report.appeal });
    steps.push(
      report.appealReasons
        ? { title: "The appeal is decided", when: null, text: report.appealReasons }
        : { title: "Somebody else than before looks at it now", when: null, text: null },
    );
  }
  return steps;
}

/** One appeal, against a decision that stands. */
export function canAppeal(report: Report): boolean {
  return report.state === "decided" && report.appealedAt === null;
}
