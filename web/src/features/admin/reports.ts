import { infiniteQueryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import { messageOf } from "@/shared/api/errors";
import type { Case, CaseDecision, CaseQueue, ReportKind, ReportState } from "@/shared/api/types";
import { toast } from "@/shared/toast";
import { messages } from "./i18n";

const key = ["admin", "reports"] as const;

export interface CaseFilter {
  /** All that wait for a decision where it is left out. */
  state?: ReportState;
  kind?: ReportKind;
}

export const casesOptions = (filter: CaseFilter) =>
  infiniteQueryOptions({
    queryKey: [...key, filter],
    queryFn: ({ pageParam, signal }) =>
      api.get<CaseQueue>("admin/reports", { query: { ...filter, page: pageParam }, signal }),
    initialPageParam: 1,
    // Another moderator may have been here.
    staleTime: 0,
    getNextPageParam: (last, pages) => (last.hasMore ? pages.length + 1 : undefined),
  });

/** Something decided about a case; the queues are read anew, whatever came of it. */
function useOnCases<T>(act: (asked: T) => Promise<unknown>, done: "caseDone" | "appealDone") {
  const client = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: () => toast.success(messages("case")(done)),
    onError: (error) => toast.error(messageOf(error, messages("queue")("notKept"))),
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  });
}

export interface CaseVerdict {
  id: string;
  decision: CaseDecision;
  reasons: string;
}

export const useDecideCase = () =>
  useOnCases(
    ({ id, decision, reasons }: CaseVerdict) =>
      api.post(`admin/reports/${id}/decide`, { json: { decision, reasons } }),
    "caseDone",
  );

export interface AppealVerdict {
  id: string;
  granted: boolean;
  reasons: string;
}

export const useDecideAppeal = () =>
  useOnCases(
    ({ id, granted, reasons }: AppealVerdict) =>
      api.post(`admin/reports/${id}/appeal`, { json: { granted, reasons } }),
    "appealDone",
  );

/** In the order of the filters. */
export const KINDS: readonly ReportKind[] = [
  "report",
  "complaint",
  "removal",
  "dmca",
  "counter_notice",
  "intimate_image",
];
export const STATES: readonly ReportState[] = ["open", "decided", "appealed", "closed"];

/** What can be done about a case: the server takes only what fits its subject. */
export function decisionsFor({ subjectKind, assets, concernedId }: Case): CaseDecision[] {
  const picture = subjectKind === "image" || assets.length > 0;
  const character = subjectKind === "character";
  return [
    "none",
    ...(character ? (["limit"] as const) : []),
    ...(character || picture ? (["quarantine"] as const) : []),
    ...(character || picture || subjectKind === "review" ? (["remove"] as const) : []),
    ...(character || picture ? (["restore"] as const) : []),
    ...(concernedId === "" ? [] : (["suspend"] as const)),
  ];
}
