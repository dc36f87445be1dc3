import { z } from "zod";
import type { ComplaintKind } from "@/shared/api/types";
import type { PolicyForm } from "./policies/types";

/** What can be sent from the legal pages. */
export type NoticeKind = ComplaintKind | "intimate_image";

/** Most each field holds, characters. */
export const MAX_CHARS = { name: 120, email: 254, subject: 2000, text: 5000 } as const;
const MIN_TEXT_CHARS = 10;
/** Bytes of a picture that the server takes. */
export const MAX_PICTURE_BYTES = 10 * 1024 * 1024;

interface NoticeParts {
  /** It must say what it is about. */
  about: boolean;
  /** Whether a reason is chosen. */
  reasons: boolean;
  /** A statement under penalty of perjury. */
  oath?: "dmca" | "counter_notice";
  picture?: true;
}

/** What each form asks for; what it calls that is under its name in the messages. */
export const NOTICES: Readonly<Record<NoticeKind, NoticeParts>> = {
  complaint: { about: true, reasons: true },
  removal: { about: true, reasons: true },
  intimate_image: { about: false, reasons: false, picture: true },
  dmca: { about: true, reasons: false, oath: "dmca" },
  counter_notice: { about: true, reasons: false, oath: "counter_notice" },
};

/** The forms of a page; the first stands open. */
export const FORMS: Readonly<Record<PolicyForm, readonly NoticeKind[]>> = {
  complaint: ["complaint"],
  removal: ["removal", "intimate_image"],
  dmca: ["dmca", "counter_notice"],
};

type Problem = "nameMissing" | "badEmail" | "subjectMissing" | "short" | "notSworn";

/** What the fields must hold for a kind of notice; their problems are said in the reader's language. */
export const noticeSchema = (
  kind: NoticeKind,
  say: (problem: Problem, values?: { count: number }) => string,
) =>
  z.object({
    name: z.string().trim().min(1, say("nameMissing")).max(MAX_CHARS.name),
    email: z
      .string()
      .trim()
      .regex(/^[^\s@]+@[^\s@]+\.[\p{L}]{2,}$/u, say("badEmail"))
      .max(MAX_CHARS.email),
    subject: NOTICES[kind].about
      ? z.string().trim().min(1, say("subjectMissing")).max(MAX_CHARS.subject)
      : z.string().trim().max(MAX_CHARS.subject),
    reason: z.string(),
    text: z
      .string()
      .trim()
      .min(MIN_TEXT_CHARS, say("short", { count: MIN_TEXT_CHARS }))
      .max(MAX_CHARS.text),
    sworn: z.boolean().refine((sworn) => sworn || NOTICES[kind].oath === undefined, say("notSworn")),
  });

export type Notice = z.infer<ReturnType<typeof noticeSchema>>;
