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

/** Least length of what is said in a report or an appeal, characters. */
export const MIN_REPORT_CHARS = 10;
/** Most, characters. */
export const MAX_REPORT_CHARS = 5000;
