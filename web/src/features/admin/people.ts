import { useMutation } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import { ApiError, messageOf } from "@/shared/api/errors";
import type { User } from "@/shared/api/types";
import { toast } from "@/shared/toast";
import { messages } from "./i18n";

export const MAX_REASON_CHARS = 2000;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Somebody found by name, or known by their id alone. */
export interface Found {
  id: string;
  user: User | null;
}

/** Looks somebody up by username or id; null where there is nobody of that name. */
export async function findPerson(text: string): Promise<Found | null> {
  const asked = text.trim().replace(/^@/, "");
  if (ID.test(asked)) return { id: asked, user: null };
  try {
    const user = await api.get<User>(`user/${encodeURIComponent(asked)}`);
    return { id: user._id, user };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

export const useSuspend = () =>
  useMutation({
    mutationFn: ({ id, reason }: { id: string; reason: string }) =>
      api.post<{ msg: string }>(`admin/users/${id}/suspend`, { json: { reason } }),
    onSuccess: ({ msg }) => toast.success(msg),
    onError: (error) => toast.error(messageOf(error, messages("person")("suspendFailed"))),
  });

export const useReinstate = () =>
  useMutation({
    mutationFn: (id: string) => api.post<{ msg: string }>(`admin/users/${id}/reinstate`),
    onSuccess: ({ msg }) => toast.success(msg),
    onError: (error) => toast.error(messageOf(error, messages("person")("reinstateFailed"))),
  });
