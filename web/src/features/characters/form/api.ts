import { queryOptions } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import type { PlanOffer } from "@/shared/api/types";

/** The plans, smallest first. They change only when the house is set up anew. */
export const plansOptions = queryOptions({
  queryKey: ["plans", "memory"],
  queryFn: async ({ signal }) => (await api.get<{ plans: PlanOffer[] }>("plans", { signal })).plans,
  select: (plans) => plans.toSorted((a, b) => a.memoryTokens - b.memoryTokens),
  staleTime: 60 * 60 * 1000,
});
