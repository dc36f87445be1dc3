import { messages } from "./i18n";

/** Why a picture failed: the key of its sentence; codes that are not here get the plain one. */
const SENTENCES = {
  moderated: "moderated",
  engine_error: "engineError",
  engine_timeout: "engineTimeout",
  suspended: "suspended",
} as const;

const isKnown = (code: string | null): code is keyof typeof SENTENCES =>
  code !== null && Object.hasOwn(SENTENCES, code);

export const reasonOf = (code: string | null): string =>
  messages("reason")(isKnown(code) ? SENTENCES[code] : "other");
