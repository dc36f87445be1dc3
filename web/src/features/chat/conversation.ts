import type { Message } from "@/shared/api/types";

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
}

/** A chat as the page holds it: the path of messages, and what is being written. */
export interface Conversation {
  messages: Message[];
  live: Live | null;
  /** The server's own words for what went wrong with a message, by message id; kept while the page is open. */
  said: Readonly<Record<string, string>>;
  /** The path as it was before the turn that is being asked for, should nothing come of it. */
  held: Message[] | null;
}

export type ConversationAction =
  /** The path as the server tells it: the whole of it, or its newest part. */
  | { type: "opened"; messages: Message[]; generationId: string | null }
  /** What comes before the first message that is shown. */
  | { type: "earlier"; messages: Message[] }
  /** `below`: the last message that stays on the path; the end of it when absent. */
  | { type: "sending"; userMessage: Message | null; below?: string | null }
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
  | { type: "error"; msg: string; aiMessage: Message }
  | { type: "stopping" }
  | { type: "unsent" }
  | { type: "lost" };

/** Id of a line that the server has not confirmed yet. */
export const LOCAL_ID = "local";
/** One's own line, until the server has it. */
export function localLine(chatId: string, content: string): Message {
  return {
    _id: LOCAL_ID,
    chatId,
    content,
    senderType: "user",
    parentId: null,
    state: "complete",
    reason: null,
    createdAt: new Date().toISOString(),
    generationId: null,
    engine: null,
    variants: 1,
    variant: 1,
    edited: false,
    siblings: [],
  };
}

/** Reason of a reply whose connection broke for good; the page made it up, the server may know better. */
export const LOST_REASON = "connection_lost";

/** Reason of a reply that gave way to people one can talk to. */
export const HELP_REASON = "help_lines";

export const emptyConversation: Conversation = { messages: [], live: null, said: {}, held: null };

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const byteLength = (text: string) => encoder.encode(text).length;

/** The byte offset in an event's id `<generation>:<offset>`, or null. */
export function offsetOf(eventId: string | undefined): number | null {
  const digits = eventId?.match(/:(\d+)$/)?.[1];
  return digits === undefined ? null : Number(digits);
}

/**
 * Adds a piece of text that ends at byte `offset` of the reply. A piece that overlaps what is there, as after a
 * resumed stream, adds only what is new; offsets count bytes, since the server counts bytes.
 */
export function appendAt(content: string, text: string, offset: number | null): string {
  if (offset === null) return content + text;
  const bytes = encoder.encode(text);
  const overlap = byteLength(content) - (offset - bytes.length);
  if (overlap <= 0) return content + text;
  if (overlap >= bytes.length) return content;
  return content + decoder.decode(bytes.subarray(overlap));
}

const same = (a: Message, b: Message) => JSON.stringify(a) === JSON.stringify(b);

/** A path anew; what has not changed stays the very object it was, so that nothing of it is drawn again. */
function kept(before: readonly Message[], path: Message[]): Message[] {
  const known = new Map(before.map((message) => [message._id, message]));
  return path.map((message) => {
    const old = known.get(message._id);
    return old && same(old, message) ? old : message;
  });
}

/** Something was said before the first message that is here. */
export const hasEarlier = ([first]: readonly Message[]) => (first?.parentId ?? null) !== null;

/** How much of a path goes before a newer part of it; -1 when the two do not meet. A message has but one past. */
function placeBefore(path: readonly Message[], [first]: readonly Message[]): number {
  if (!first || first.parentId === null) return 0;
  const at = path.findIndex(({ _id }) => _id === first._id);
  if (at >= 0) return at;
  const parent = path.findIndex(({ _id }) => _id === first.parentId);
  return parent < 0 ? -1 : parent + 1;
}

/** Whether the newest part of a path goes on from what is here. */
export const meets = (path: readonly Message[], newest: readonly Message[]) => placeBefore(path, newest) >= 0;

/** The newest part of a path, behind what is here of the same path. */
const joined = (path: readonly Message[], newest: Message[]): Message[] => [
  ...path.slice(0, Math.max(0, placeBefore(path, newest))),
  ...newest,
];

/** Puts a message where one with its id stands, else at the end. */
function put(messages: Message[], message: Message): Message[] {
  const at = messages.findIndex((m) => m._id === message._id);
  if (at < 0) return [...messages, message];
  return messages.map((m, index) => (index === at ? message : m));
}

const patch = (messages: Message[], id: string | null, change: Partial<Message>): Message[] =>
  messages.map((m) => (m._id === id ? { ...m, ...change } : m));

/** A reply that ended before its first word. The server leaves it beside the path at the next turn. */
const isVoid = (message: Message) =>
  message.senderType === "character" &&
  message.parentId !== null &&
  message.state !== "streaming" &&
  message.content.trim() === "";

function withoutVoids(messages: Message[]): Message[] {
  const kept = messages.findLastIndex((message) => !isVoid(message));
  return messages.slice(0, kept + 1);
}

/** The path up to a message; empty for what stands before the greeting. */
export function pathTo(messages: Message[], id: string | null): Message[] {
  return id === null ? [] : messages.slice(0, messages.findIndex((message) => message._id === id) + 1);
}

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
        messages: kept(now.messages, joined(now.messages, action.messages)),
        held: null,
        live: action.generationId
          ? {
              generationId: action.generationId,
              messageId: writing?._id ?? null,
              phase: writing?.content ? "writing" : "waiting",
              lastEventId: null,
            }
          : null,
      };
    }
    case "earlier": {
      const known = new Set(now.messages.map((m) => m._id));
      const earlier = action.messages.filter((m) => !known.has(m._id));
      // Another branch may have been shown meanwhile: what does not lead to it stays out.
      if (earlier.length === 0 || earlier.at(-1)?._id !== now.messages[0]?.parentId) return now;
      return { ...now, messages: [...earlier, ...now.messages] };
    }
    case "sending":
      return {
        ...now,
        messages: [
          ...(action.below === undefined ? withoutVoids(now.messages) : pathTo(now.messages, action.below)),
          ...(action.userMessage ? [action.userMessage] : []),
        ],
        held: now.messages,
        live: { generationId: null, messageId: null, phase: "waiting", lastEventId: null },
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
        held: null,
        live: {
          generationId,
          messageId: aiMessage._id,
          phase: now.live?.phase === "stopping" ? "stopping" : "waiting",
          lastEventId: action.eventId ?? now.live?.lastEventId ?? null,
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
            ? { ...m, content: appendAt(m.content, action.text, offsetOf(action.eventId)) }
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
      const { aiMessage, msg } = action;
      return { ...ended(now, aiMessage), said: { ...now.said, [aiMessage._id]: msg } };
    }
    case "stopping":
      return now.live ? { ...now, live: { ...now.live, phase: "stopping" } } : now;
    case "unsent":
      return {
        ...now,
        messages: now.held ?? now.messages.filter((m) => m._id !== LOCAL_ID),
        held: null,
        live: null,
      };
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

/** What the reader may do about the last message. */
export function nextStep(now: Conversation): "continue" | "retry" | null {
  const last = now.messages.at(-1);
  if (now.live || !last || last._id === LOCAL_ID) return null;
  if (last.senderType === "user") return last.state === "complete" ? "retry" : null;
  if (last.reason === HELP_REASON) return null;
  if (isVoid(last)) return "retry";
  return last.state === "pending" || last.state === "refused" ? null : "continue";
}
