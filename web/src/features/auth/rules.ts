import { z } from "zod";
import { MIN_PASSWORD_CHARS, VERIFY_CODE_CHARS } from "@/shared/limits";

/** An address with a top-level part of at least two letters. */
const EMAIL = /^[A-Z0-9._%+-]+@[A-Z0-9-]+(\.[A-Z0-9-]+)*\.[A-Z]{2,}$/i;

export const MUST_FILL = "Must fill out all fields!";
export const MISSING_TOKEN = "Missing token. Please resubmit a reset request.";
export const VERIFY_FIRST = "Please verify your email!";
export const PASSWORD_HINT = "Make sure it's at least 8 characters including a capital and number!";
export const PASSWORD_GOOD = "Password looks good!";

export const isEmail = (text: string) => EMAIL.test(text.trim());

/** The three things a password needs, each on its own, for the strength bars. */
export function passwordParts(password: string) {
  return {
    length: Array.from(password).length >= MIN_PASSWORD_CHARS,
    capital: /\p{Lu}/u.test(password),
    digit: /\d/.test(password),
  };
}

/** The first thing a password lacks, or null when it is good. */
export function passwordProblem(password: string): string | null {
  const { length, capital, digit } = passwordParts(password);
  if (!length) return "Password is too short!";
  if (!capital) return "Must contain a capital!";
  if (!digit) return "Must contain a number!";
  return null;
}

const password = z.string().superRefine((value, context) => {
  const problem = passwordProblem(value);
  if (problem) context.addIssue({ code: "custom", message: problem });
});

export const signupSchema = z
  .object({
    email: z.string().trim().min(1, MUST_FILL).refine(isEmail, "Invalid email format!"),
    password,
    confirmation: z.string(),
    username: z.string().trim().min(1, MUST_FILL),
  })
  .refine((form) => form.password === form.confirmation, {
    path: ["confirmation"],
    message: "Passwords don't match!",
    // Each step is judged alone: a later field that is still empty must not hide this.
    when: () => true,
  });
export type SignupForm = z.infer<typeof signupSchema>;

/** A code as the mail gives it: spaces and hyphens that came along with a paste are dropped. */
export const cleanCode = (text: string) =>
  text
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, "")
    .slice(0, VERIFY_CODE_CHARS);

export function codeProblem(code: string): string | null {
  if (code === "") return MUST_FILL;
  return code.length < VERIFY_CODE_CHARS ? "Enter full code." : null;
}
