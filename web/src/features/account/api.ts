import { api } from "@/shared/api/client";
import type { PlanOffer, User } from "@/shared/api/types";
import { newKey } from "@/shared/key";

export type Period = "monthly" | "yearly";

export const fetchPlans = (signal: AbortSignal) => api.get<{ plans: PlanOffer[] }>("plans", { signal });

export const changePlan = (plan: string, period: Period) =>
  api.post<{ url: string }>("checkout", { json: { plan, period }, headers: { "idempotency-key": newKey() } });

export const cancelSubscription = () =>
  api.post<{ message: string; user: User }>("user/cancel-subscription", { json: {} });

export interface ProfileForm {
  username: string;
  bio: string;
}

/** The multipart body of a profile change; the picture only when there is a new one. */
export function profileBody(form: ProfileForm, picture: File | null): FormData {
  const body = new FormData();
  body.set("username", form.username.trim());
  body.set("bio", form.bio.trim());
  if (picture) body.set("pfp", picture);
  return body;
}

export const updateProfile = (form: ProfileForm, picture: File | null) =>
  api.post<{ user: User }>("user/update", { form: profileBody(form, picture) });
