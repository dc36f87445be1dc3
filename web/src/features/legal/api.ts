import { api } from "@/shared/api/client";
import type { ComplaintKind, Report } from "@/shared/api/types";

/** What a form asks for; nobody needs an account to send one. */
export interface Complaint {
  kind: ComplaintKind;
  name: string;
  email: string;
  subject: string;
  reason: string;
  text: string;
  sworn: boolean;
}

interface Filed {
  report: Report;
}

const once = (key: string) => ({ "idempotency-key": key });

/** Files a complaint, a request for removal or a copyright notice. `key` is the same for each try of one form. */
export const fileComplaint = (complaint: Complaint, key: string) =>
  api.post<Filed>("complaint", { json: complaint, headers: once(key) });

/** The same for an intimate image made without consent; the picture finds its copies and is not kept. */
export function fileIntimateImage(
  { name, email, subject, text }: Pick<Complaint, "name" | "email" | "subject" | "text">,
  picture: File | null,
  key: string,
) {
  const form = new FormData();
  for (const [field, value] of Object.entries({ name, email, subject, text })) form.set(field, value);
  if (picture) form.set("image", picture);
  return api.post<Filed>("complaint/intimate-image", { form, headers: once(key) });
}
