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

interface NoticeWords {
  /** Chosen by this where a page has two forms. */
  name: string;
  subject: { label: string; hint: string; required: boolean };
  text: { label: string; hint: string };
  /** Whether a reason is chosen. */
  reasons: boolean;
  /** A statement under penalty of perjury. */
  oath?: string;
  picture?: true;
  send: string;
  /** When one hears back, on the receipt. */
  promise: string;
}

const ADDRESS = "The address of the page, as the browser shows it. One line for each.";

export const NOTICES: Readonly<Record<NoticeKind, NoticeWords>> = {
  complaint: {
    name: "Complaint",
    subject: {
      label: "What is it about?",
      hint: "The address of a page, a receipt, or words for it.",
      required: true,
    },
    text: { label: "What happened?", hint: "Where, when, and what you would like to be done." },
    reasons: true,
    send: "Send complaint",
    promise: "We aim to resolve it within 7 business days.",
  },
  removal: {
    name: "Any content",
    subject: { label: "Where is the content?", hint: ADDRESS, required: true },
    text: {
      label: "What is wrong with it?",
      hint: "If it is about you, say so. We ask for evidence only if we need it.",
    },
    reasons: true,
    send: "Ask for removal",
    promise: "We aim to be done within 7 business days.",
  },
  intimate_image: {
    name: "An intimate image of me",
    subject: { label: "Where is it shown?", hint: "The address, if you know it.", required: false },
    text: { label: "What should we know?", hint: "That you did not agree to it is enough." },
    reasons: false,
    picture: true,
    send: "Ask for removal",
    promise: "It is decided within 48 hours.",
  },
  dmca: {
    name: "Notice",
    subject: { label: "Where is your work used?", hint: ADDRESS, required: true },
    text: {
      label: "The notice",
      hint: "Which work is yours and where it can be seen, your postal address and your telephone number.",
    },
    reasons: false,
    oath: "I believe in good faith that this use is not authorised by the owner, its agent or the law. Under penalty of perjury: this notice is accurate, and I am the owner or act for them. My name above is my signature.",
    send: "Send notice",
    promise: "We take preliminary action within 1 to 3 days.",
  },
  counter_notice: {
    name: "Counter-notice",
    subject: {
      label: "What was removed?",
      hint: "The address it had, or the number of the decision.",
      required: true,
    },
    text: {
      label: "The counter-notice",
      hint: "Why it was a mistake, your postal address and your telephone number.",
    },
    reasons: false,
    oath: "Under penalty of perjury: I believe in good faith that this was removed by mistake or misidentification. I consent to the jurisdiction named above and to being served by whoever sent the notice. My name above is my signature.",
    send: "Send counter-notice",
    promise: "Unless the other side goes to court, the content may return after 10 to 14 days.",
  },
};

/** The forms of a page; the first stands open. */
export const FORMS: Readonly<Record<PolicyForm, readonly NoticeKind[]>> = {
  complaint: ["complaint"],
  removal: ["removal", "intimate_image"],
  dmca: ["dmca", "counter_notice"],
};

/** What the fields must hold for a kind of notice. */
export const noticeSchema = (kind: NoticeKind) =>
  z.object({
    name: z.string().trim().min(1, "Your name is needed.").max(MAX_CHARS.name),
    email: z
      .string()
      .trim()
      .regex(/^[^\s@]+@[^\s@]+\.[\p{L}]{2,}$/u, "Invalid email format!")
      .max(MAX_CHARS.email),
    subject: NOTICES[kind].subject.required
      ? z.string().trim().min(1, "Say what this is about.").max(MAX_CHARS.subject)
      : z.string().trim().max(MAX_CHARS.subject),
    reason: z.string(),
    text: z.string().trim().min(MIN_TEXT_CHARS, `At least ${MIN_TEXT_CHARS} characters.`).max(MAX_CHARS.text),
    sworn: z
      .boolean()
      .refine(
        (sworn) => sworn || NOTICES[kind].oath === undefined,
        "This must be confirmed under penalty of perjury.",
      ),
  });

export type Notice = z.infer<ReturnType<typeof noticeSchema>>;
