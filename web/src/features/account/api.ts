import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import type { Plan, User } from "@/shared/api/types";
import { newKey } from "@/shared/key";
import type { PaidPlan, Period } from "@/shared/plans";
import { refreshProfile } from "@/shared/session";
import { useRoot } from "@/shared/store";

export interface Said {
  msg: string;
}

/** What an answer has told of the own profile: it is so at once, however long the whole profile takes. */
export function know(changes: Partial<User>): void {
  const { userData, setUser } = useRoot.getState();
  if (userData) setUser({ ...userData, ...changes });
}

/** The own profile as it is now; what is stored shows until it has come. */
export const useFreshProfile = () =>
  useQuery({ queryKey: ["profile"], queryFn: refreshProfile, staleTime: 0 });

export interface ProfileForm {
  username: string;
  bio: string;
  sponsorMeLink: string;
}

/** The multipart body of a profile change; the picture only when there is a new one. */
export function profileBody(form: ProfileForm, picture: File | null): FormData {
  const body = new FormData();
  body.set("username", form.username.trim());
  body.set("bio", form.bio.trim());
  body.set("sponsorMeLink", form.sponsorMeLink.trim());
  if (picture) body.set("pfp", picture);
  return body;
}

export const updateProfile = (form: ProfileForm, picture: File | null) =>
  api.post<{ user: User }>("user/update", { form: profileBody(form, picture) });

/** Where a change of plan leads: to a payment page, or, without an address, to the end of the period. */
export const changePlan = (plan: PaidPlan, period: Period) =>
  api.post<Said & { url: string | null }>("user/change-plan", {
    json: { plan, period },
    headers: { "idempotency-key": newKey() },
  });

export const openPortal = () => api.post<{ url: string }>("billing/portal");

/** A decision about the subscription that answers with the profile as it is now. */
function useStanding(path: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.post<Said & { user: User }>(path, { json: {} }),
    onSuccess: ({ user }) => useRoot.getState().setUser(user),
    onSettled: () => client.invalidateQueries({ queryKey: ["profile"] }),
  });
}

export const useCancelSubscription = () => useStanding("user/cancel-subscription");
export const useReactivate = () => useStanding("user/reactivate-subscription");

/** What the name of a plan is before the offers have come. */
export const planName = (plan: Plan) => plan.charAt(0).toUpperCase() + plan.slice(1);
