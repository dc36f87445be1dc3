import { ApiError } from "@/shared/api/errors";
import { sentences } from "@/shared/api/refusals";
import type { ServerEvent } from "@/shared/api/sse";
import type { Message } from "@/shared/api/types";
import type { ConversationAction } from "./conversation";

/** What a reply's stream tells; an error without a message is one of the way, not of the reply. */
export type ReplyEvent =
  | Extract<ConversationAction, { type: "start" | "delta" | "done" }>
  | { type: "error"; code: string; msg: string; aiMessage: Message | null };

/** Reads one event of a reply; null for what this page does not know. */
export function replyEvent({ event, data, id }: ServerEvent): ReplyEvent | null {
  switch (event) {
    case "start":
      return { type: "start", ...JSON.parse(data), eventId: id };
    case "delta":
      return { type: "delta", ...JSON.parse(data), eventId: id };
    case "done":
      return { type: "done", ...JSON.parse(data) };
    case "error":
      return { type: "error", aiMessage: null, ...JSON.parse(data) };
    default:
      return null;
  }
}

/** Where one can join a reply again. */
export interface Position {
  generationId: string;
  lastEventId: string | null;
}

/** How reading a reply's stream came to its end. */
export interface Reading {
  /** The reply itself is over, well or not; otherwise only the stream is. */
  ended: boolean;
  position: Position | null;
  /** New text came. */
  progressed: boolean;
  /** Why the stream broke, where that is known. */
  error?: ApiError;
}

/** Reads a reply's stream to its end, telling each event. */
export async function readReply(
  events: AsyncGenerator<ServerEvent>,
  tell: (action: ConversationAction) => void,
): Promise<Reading> {
  let position = null as Position | null;
  let progressed = false;
  try {
    for await (const raw of events) {
      const event = replyEvent(raw);
      if (!event) continue;
      if (event.type === "error") event.msg = (await sentences()).reasons[event.code] ?? event.msg;
      if (event.type === "error" && !event.aiMessage) {
        // Not the reply broke but the way to it: it may still be going on.
        const error = new ApiError(event.msg, 0, event.code);
        return { ended: false, position, progressed, error };
      }
      tell(event as ConversationAction);
      if (event.type === "done" || event.type === "error") return { ended: true, position, progressed };
      progressed ||= event.type === "delta";
      if (event.type === "start")
        position = { generationId: event.generationId, lastEventId: raw.id ?? null };
      else if (position && raw.id) position.lastEventId = raw.id;
    }
  } catch (error) {
    if (error instanceof ApiError) return { ended: false, position, progressed, error };
    throw error;
  }
  return { ended: false, position, progressed };
}
