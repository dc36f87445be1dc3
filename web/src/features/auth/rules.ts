import { z } from "zod";
import { MIN_PASSWORD_CHARS, VERIFY_CODE_CHARS } from "@/shared/limits";

/** An address with a top-level part of at least two letters. */
const EMAIL = /^[A-Z0-9._%+-]+@[A-Z0-9-]+(\.[A-Z0-9-]+)*\.[A-Z]{2,}$/i;

/** What a form can find wrong: keys of the messages. */
export type Problem =
  | "mustFill"
  | "badEmail"
  | "tooShort"
  | "noCapital"
  | "noNumber"
  | "mismatch"
  | "fullCode"
  | "missingToken";

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
export function passwordProblem(password: string): Problem | null {
  const { length, capital, digit } = passwordParts(password);
  if (!length) return "tooShort";
  if (!capital) return "noCapital";
  if (!digit) return "noNumber";
  return null;
}

/** The sign-up form, whose problems are said in the reader's language. */
export function signupSchema(say: (problem: Problem) => string) {
  const filled = z.string().trim().min(1, say("mustFill"));
  return z
    .object({
      email: filled.refine(isEmail, say("badEmail")),
      password: z.string().superRefine((value, context) => {
        const problem = passwordProblem(value);
        if (problem) context.addIssue({ code: "custom", message: say(problem) });
      }),
      confirmation: z.string(),
      username: filled,
    })
    .refine((form) => form.password === form.confirmation, {
      path: ["confirmation"],
      message: say("mismatch"),
      // Each step is judged alone: a later field that is still empty must not hide this.
      when: () => true,
    });
}
export type SignupForm = z.infer<ReturnType<typeof signupSchema>>;

/** A code as the mail gives it: spaces and hyphens that came along with a paste are dropped. */
export const cleanCode = (text: string) =>
  text
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, "")
    .slice(0, VERIFY_CODE_CHARS);

export function codeProblem(code: string): Problem | null {
  if (code === "") return "mustFill";
  return code.length < VERIFY_CODE_CHARS ? "fullCode" : null;
}
