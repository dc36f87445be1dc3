import type { Message } from "@/shared/api/types";
import { LOST_REASON } from "./conversation";
import { messages } from "./i18n";

/** What a reason code means for the reader, and nothing about the machinery: the key of its sentence. */
const SENTENCES = {
  [LOST_REASON]: "lost",
  engine_unreachable: "unreachable",
  engine_refused_key: "refusedKey",
  engine_rate_limited: "rateLimited",
  engine_error: "stumbled",
  engine_malformed: "malformed",
  engine_ended_early: "endedEarly",
  engine_reasoned_only: "reasonedOnly",
  engine_timeout: "timeout",
  moderated: "moderated",
} as const;

const isKnown = (reason: string | null): reason is keyof typeof SENTENCES =>
  reason !== null && Object.hasOwn(SENTENCES, reason);

/** The line under a message that did not end as it should, or null. */
export function troubleOf(message: Message, said: string | undefined): string | null {
  const t = messages("turn");
  const known = isKnown(message.reason) ? t(SENTENCES[message.reason]) : undefined;
  switch (message.state) {
    case "stopped":
      return t("stopped");
    case "interrupted":
      return known ?? t("interrupted");
    case "failed":
      return known ?? said ?? t("failed");
    case "refused":
      return known ?? said ?? t("refused");
    case "pending":
      return t("pending");
    default:
      return null;
  }
}
