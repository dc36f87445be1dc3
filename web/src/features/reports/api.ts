import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import type { Report, ReportList } from "@/shared/api/types";
import { PAGE_SIZE } from "@/shared/limits";

/** What the reader filed, and the decisions about them, the newest first. */
export const reportsOptions = infiniteQueryOptions({
  queryKey: ["reports", "mine"],
  queryFn: ({ pageParam, signal }) =>
    api.get<ReportList>("reports", { query: { page: pageParam, limit: PAGE_SIZE }, signal }),
  initialPageParam: 1,
  getNextPageParam: (last: ReportList, pages: ReportList[]) => (last.hasMore ? pages.length + 1 : undefined),
});

/** One report, or one decision; whoever has its number may read it. */
export const reportOptions = (number: string) =>
  queryOptions({
    queryKey: ["reports", "one", number],
    queryFn: ({ signal }) =>
      api
        .get<{ report: Report }>(`reports/${encodeURIComponent(number)}`, { signal })
        .then((answer) => answer.report),
  });

export function useAppeal(number: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (text: string) =>
      api
        .post<{ report: Report }>(`reports/${encodeURIComponent(number)}/appeal`, { json: { text } })
        .then((answer) => answer.report),
    onSuccess: (report) => {
      client.setQueryData(reportOptions(number).queryKey, report);
      void client.invalidateQueries({ queryKey: reportsOptions.queryKey });
    },
  });
}
