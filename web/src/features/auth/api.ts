import { api } from "@/shared/api/client";
import type { User } from "@/shared/api/types";

export interface Said {
  success: boolean;
  msg: string;
}

export const signUp = (form: { email: string; password: string; username: string; ref?: string }) =>
  api.post<Said>("signup", { json: form });

export const verifyEmail = (token: string, email: string | undefined) =>
  api.post<Said>("verify", { json: { token, email } });

export const resendCode = (email: string) => api.post<Said>("verify/resend", { json: { email } });

/** `otp` is the second step: a code of the authenticator app, or a recovery code. */
export const logIn = (email: string, password: string, otp?: string) =>
  api.post<Said & { user: User; token: string }>("login", {
    json: {
      email,
      password,
      otp,
      deviceInfo: { timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone },
    },
  });

export const askForReset = (email: string) => api.post<Said>("forgot-password", { json: { email } });

export const resetPassword = (password: string, token: string) =>
  api.post<Said>("reset-password", { json: { password, token } });
