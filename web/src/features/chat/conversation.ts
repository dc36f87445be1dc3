import type { Message, MessageState } from "@/shared/api/types";

/** The reply that is being written. */
export interface Live {
  /** Null until the server has said it began. */
  generationId: string | null;
  /** The message it writes into; null until known. */
  messageId: string | null;
  /** `waiting`: nothing written yet. `stopping`: Stop was pressed. */
  phase: "waiting" | "writing" | "stopping";
  /** Where to go on after a break, as the server numbers its events. */
  lastEventId: string | null;
  /** Bytes of text the message held before this reply began to write into it. */
  base: number;
}

/** A chat as the page holds it: the path of messages, and what is being written. */
export interface Conversation {
  messages: Message[];
  live: Live | null;
  /** The server's own words for what went wrong with a message, by message id; kept while the page is open. */
  said: Readonly<Record<string, string>>;
}

export type ConversationAction =
  | { type: "opened"; messages: Message[]; generationId: string | null }
  | { type: "sending"; userMessage: Message | null }
  | { type: "resuming"; generationId: string }
  | {
      type: "start";
      generationId: string;
      userMessage: Message | null;
      aiMessage: Message | null;
      eventId?: string;
    }
  | { type: "delta"; text: string; eventId?: string }
  | { type: "done"; aiMessage: Message | null }
  | { type: "error"; code: string; msg: string; aiMessage: Message | null }
  | { type: "stopping" }
  | { type: "unsent" }
  | { type: "lost" };

/** Id of a line that the server has not confirmed yet. */
export const LOCAL_ID = "local";
/** Reason of a reply whose connection broke for good; the page made it up, the server may know better. */
export const LOST_REASON = "connection_lost";

export const emptyConversation: Conversation = { messages: [], live: null, said: {} };

const encoder = new TextEncoder();
const decoder = new TextDecoder();
export const byteLength = (text: string) => encoder.encode(text).length;

/** The byte offset in an event's id `<generation>:<offset>`, or null. */
export function offsetOf(eventId: string | undefined): number | null {
  const digits = eventId?.match(/:(\d+)$/)?.[1];
  return digits === undefined ? null : Number(digits);
}

/**
 * Adds a piece of text that ends at byte `offset` of the reply. A piece that overlaps what is there, as after a
 * resumed stream, adds only what is new; offsets count bytes, since the server counts bytes.
 */
export function appendAt(content: string, base: number, text: string, offset: number | null): string {
  if (offset === null) return content + text;
  const bytes = encoder.encode(text);
  const overlap = byteLength(content) - base - (offset - bytes.length);
  if (overlap <= 0) return content + text;
  if (overlap >= bytes.length) return content;
  return content + decoder.decode(bytes.subarray(overlap));
}

/** Puts a message where one with its id stands, else at the end. */
function put(messages: Message[], message: Message): Message[] {
  const at = messages.findIndex((m) => m._id === message._id);
  if (at < 0) return [...messages, message];
  return messages.map((m, index) => (index === at ? message : m));
}

const patch = (messages: Message[], id: string | null, change: Partial<Message>): Message[] =>
  messages.map((m) => (m._id === id ? { ...m, ...change } : m));

/** A reply that ended without a word of its own leaves no empty bubble behind, unless it has something to say. */
const ENDS_IN_ERROR: ReadonlySet<MessageState> = new Set(["failed", "interrupted", "refused"]);

/** A reply is over. The end of an older one, heard twice after a Stop, does not end the one being written now. */
function ended(conversation: Conversation, aiMessage: Message): Conversation {
  const { live, messages } = conversation;
  const known = messages.find((m) => m._id === aiMessage._id);
  const current = live?.messageId ? live.messageId === aiMessage._id : !known || known.state === "streaming";
  return { ...conversation, messages: put(messages, aiMessage), live: current ? null : live };
}

export function conversationReducer(now: Conversation, action: ConversationAction): Conversation {
  switch (action.type) {
    case "opened": {
      const writing = action.generationId
        ? action.messages.findLast((m) => m.generationId === action.generationId)
        : undefined;
      return {
        ...now,
        messages: action.messages,
        live: action.generationId
          ? {
              generationId: action.generationId,
              messageId: writing?._id ?? null,
              phase: writing?.content ? "writing" : "waiting",
              lastEventId: null,
              base: 0,
            }
          : null,
      };
    }
    case "sending":
      return {
        ...now,
        messages: action.userMessage ? [...now.messages, action.userMessage] : now.messages,
        live: { generationId: null, messageId: null, phase: "waiting", lastEventId: null, base: 0 },
      };
    case "resuming":
      return {
        ...now,
        live: now.live
          ? { ...now.live, generationId: action.generationId }
          : {
              generationId: action.generationId,
              messageId: null,
              phase: "waiting",
              lastEventId: null,
              base: 0,
            },
      };
    case "start": {
      const { userMessage, generationId } = action;
      const aiMessage =
        action.aiMessage ?? now.messages.findLast((m) => m.generationId === generationId) ?? null;
      if (!aiMessage) return now.live ? { ...now, live: { ...now.live, generationId } } : now;
      const known = now.messages.find((m) => m._id === aiMessage._id);
      // A resumed stream starts again; what was read before the break stays.
      const resumed = known && now.live?.messageId === aiMessage._id;
      let messages = now.messages;
      if (userMessage) {
        messages = messages.some((m) => m._id === userMessage._id)
          ? messages.filter((m) => m._id !== LOCAL_ID)
          : messages.map((m) => (m._id === LOCAL_ID ? userMessage : m));
        messages = put(messages, userMessage);
      }
      messages = put(messages, resumed ? { ...aiMessage, content: known.content } : aiMessage);
      return {
        ...now,
        messages,
        live: {
          generationId,
          messageId: aiMessage._id,
          phase: now.live?.phase === "stopping" ? "stopping" : "waiting",
          lastEventId: action.eventId ?? now.live?.lastEventId ?? null,
          base: resumed ? (now.live?.base ?? 0) : baseOf(aiMessage, action.eventId),
        },
      };
    }
    case "delta": {
      const { live } = now;
      if (!live?.messageId) return now;
      return {
        ...now,
        messages: now.messages.map((m) =>
          m._id === live.messageId
            ? { ...m, content: appendAt(m.content, live.base, action.text, offsetOf(action.eventId)) }
            : m,
        ),
        live: {
          ...live,
          phase: live.phase === "stopping" ? "stopping" : "writing",
          lastEventId: action.eventId ?? live.lastEventId,
        },
      };
    }
    case "done":
      return action.aiMessage ? ended(now, action.aiMessage) : { ...now, live: null };
    case "error": {
      const id = action.aiMessage?._id ?? now.live?.messageId ?? null;
      const said = id ? { ...now.said, [id]: action.msg } : now.said;
      if (action.aiMessage) return { ...ended(now, action.aiMessage), said };
      const failed = patch(now.messages, id, { state: "failed", reason: action.code });
      return { messages: failed, live: null, said };
    }
    case "stopping":
      return now.live ? { ...now, live: { ...now.live, phase: "stopping" } } : now;
    case "unsent":
      return { ...now, messages: now.messages.filter((m) => m._id !== LOCAL_ID), live: null };
    case "lost":
      return {
        ...now,
        messages: patch(now.messages, now.live?.messageId ?? null, {
          state: "interrupted",
          reason: LOST_REASON,
        }),
        live: null,
      };
  }
}

/** Where the reply's own bytes begin in a message that already holds text when its stream starts. */
function baseOf(aiMessage: Message, eventId: string | undefined): number {
  return Math.max(0, byteLength(aiMessage.content) - (offsetOf(eventId) ?? 0));
}

/** What the reader may do about the last message. */
export function nextStep(now: Conversation): "continue" | "retry" | null {
  const last = now.messages.at(-1);
  if (now.live || !last || last._id === LOCAL_ID) return null;
  if (last.senderType === "user") return last.state === "complete" ? "retry" : null;
  if (ENDS_IN_ERROR.has(last.state) && last.content.trim() === "") return "retry";
  return last.state === "pending" || last.state === "refused" ? null : "continue";
}
