import { create } from "zustand";
import type { SubjectKind } from "./api/types";

/** What somebody complains of. */
export interface ReportSubject {
  kind: SubjectKind;
  id: string;
  /** What people call it: `Vesper Lang`, `the review by wren`. */
  name: string;
}

interface ReportQuestion {
  subject: ReportSubject | null;
  ask: (subject: ReportSubject) => void;
  close: () => void;
}

/** What is being reported. One dialog, mounted beside the frame, serves every asker. */
export const useReportQuestion = create<ReportQuestion>((set) => ({
  subject: null,
  ask: (subject) => set({ subject }),
  close: () => set({ subject: null }),
}));

/** Why something can be reported, as `POST reports` spells it, and what people read. */
export const REPORT_REASONS = [
  { value: "minor", label: "Someone who is, or looks, under 18" },
  { value: "hate", label: "Hate or harassment" },
  { value: "illegal", label: "Something illegal" },
  { value: "privacy", label: "Somebody’s privacy" },
  { value: "impersonation", label: "A real person or a celebrity" },
  { value: "copyright", label: "Copyright" },
  { value: "spam", label: "Spam, or not what it says it is" },
  { value: "other", label: "Something else" },
] as const;

/** Why something was reported, for people; a ground of another kind as it came. */
export function reasonLabel(reason: string): string {
  return REPORT_REASONS.find((known) => known.value === reason)?.label ?? reason;
}

/** Least length of what is said in a report or an appeal, characters. */
export const MIN_REPORT_CHARS = 10;
/** Most, characters. */
export const MAX_REPORT_CHARS = 5000;
