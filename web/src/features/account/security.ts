import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { z } from "zod";
import { api } from "@/shared/api/client";
import { messageOf } from "@/shared/api/errors";
import type { Device } from "@/shared/api/types";
import { MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS } from "@/shared/limits";
import { toast } from "@/shared/toast";
import { know, type Said } from "./api";
import { messages } from "./i18n";

/** What a new password can lack: keys of the messages. */
export type Problem = "mustFill" | "mismatch" | "weak";

/** Letters, digits and these signs only: narrower than at sign-up. */
const ALPHABET = /^[A-Za-z\d@$!%*#?&]+$/;

const isStrong = (password: string) =>
  password.length >= MIN_PASSWORD_CHARS &&
  password.length <= MAX_PASSWORD_CHARS &&
  /[A-Z]/.test(password) &&
  /\d/.test(password) &&
  ALPHABET.test(password);

/** The form of a new password, whose problems are said in the reader's language. */
export const passwordSchema = (say: (problem: Problem) => string) =>
  z
    .object({
      currentPassword: z.string().min(1, say("mustFill")),
      newPassword: z.string().min(1, say("mustFill")).refine(isStrong, say("weak")),
      confirmation: z.string(),
    })
    .refine((form) => form.newPassword === form.confirmation, {
      path: ["confirmation"],
      message: say("mismatch"),
      // Judged even while another field is wrong: both can be mended at once.
      when: () => true,
    });
export type PasswordForm = z.infer<ReturnType<typeof passwordSchema>>;

export const updatePassword = ({ currentPassword, newPassword }: PasswordForm) =>
  api.post<Said>("user/update-password", { json: { currentPassword, newPassword } });

interface DeviceList {
  devices: Device[];
}
const devicesKey = ["devices"] as const;

export const devicesOptions = queryOptions({
  queryKey: devicesKey,
  queryFn: ({ signal }) => api.get<DeviceList>("devices", { signal }),
  select: ({ devices }) => devices,
  staleTime: 0,
});

/** Signs one device out by the password, or all others where none is named. */
export function useSignOutDevices() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, password }: { id: string | null; password: string }) =>
      api.post<Said>(id === null ? "devices/sign-out" : `devices/${id}/sign-out`, { json: { password } }),
    onSuccess: ({ msg }) => toast.success(msg),
    // Nobody waits for the list, least of all to be told that the password is wrong.
    onSettled: () => void client.invalidateQueries({ queryKey: devicesKey }),
  });
}

export interface TwoStepSecret {
  secret: string;
  uri: string;
}

export const beginTwoStep = (password: string) =>
  api.post<TwoStepSecret>("two-step/begin", { json: { password } });
export const confirmTwoStep = (code: string) =>
  api.post<{ recoveryCodes: string[] }>("two-step/confirm", { json: { code } });
export const renewRecoveryCodes = (code: string) =>
  api.post<{ recoveryCodes: string[] }>("two-step/recovery-codes", { json: { code } });
export const endTwoStep = (form: { password: string; code: string }) =>
  api.post<Said>("two-step/end", { json: form });

/** `ABCD EFGH …`: a key as one types it over. */
export const spaced = (secret: string) => secret.replace(/(.{4})(?=.)/g, "$1 ");

/** What becomes of the characters of somebody who leaves. */
export type Legacy = "remove" | "anonymise";

export function useDeletion() {
  return useMutation({
    mutationFn: (asked: { password: string; characters: Legacy }) =>
      api.post<Said & { erasedAt: string }>("account/deletion", { json: asked }),
    onSuccess: ({ erasedAt }) => know({ erasedAt }),
  });
}

export function useKeepAccount() {
  return useMutation({
    mutationFn: () => api.delete<Said>("account/deletion"),
    onSuccess: ({ msg }) => {
      know({ erasedAt: null });
      toast.success(msg);
    },
    onError: (error) => toast.error(messageOf(error, messages("data")("keepFailed"))),
  });
}
