import type { Message } from "@/shared/api/types";
import { LOST_REASON } from "./conversation";

/** What a reason code means for the reader, and nothing about the machinery. */
const SENTENCES: Readonly<Record<string, string>> = {
  [LOST_REASON]: "The connection broke before the reply was done.",
  engine_unreachable: "The language model could not be reached.",
  engine_refused_key: "The language model refused us. Whoever runs this house has to look at its key.",
  engine_rate_limited: "The language model has too much to do. Wait a moment, then try again.",
  engine_error: "The language model stumbled.",
  engine_malformed: "The language model sent something unreadable.",
  engine_ended_early: "The language model stopped in the middle.",
  engine_timeout: "The language model took too long.",
  moderated:
    "This reply went past the guidelines, so it stops here. Ask for another, or take the scene elsewhere.",
};

/** The line under a message that did not end as it should, or null. */
export function troubleOf(message: Message, said: string | undefined): string | null {
  const known = message.reason ? SENTENCES[message.reason] : undefined;
  switch (message.state) {
    case "stopped":
      return "You stopped here.";
    case "interrupted":
      return known ?? "The reply was cut off.";
    case "failed":
      return known ?? said ?? "The reply could not be written.";
    case "refused":
      return known ?? said ?? "This went past the guidelines, so it stops here. Try it in other words.";
    case "pending":
      return "Held until someone has looked at it.";
    default:
      return null;
  }
}
