import { queryOptions } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import { openStream, type ServerEvent } from "@/shared/api/sse";
import type { ChatPage, ChatSummary, Message } from "@/shared/api/types";

export const chatsOptions = queryOptions({
  queryKey: ["chats"],
  queryFn: ({ signal }) => api.get<ChatSummary[]>("chats", { signal }),
});

export const fetchChat = (characterId: string, signal?: AbortSignal) =>
  api.get<ChatPage>(`chats/${encodeURIComponent(characterId)}/messages`, { signal });

export const chatOptions = (characterId: string) =>
  queryOptions({
    queryKey: ["chat", characterId],
    queryFn: ({ signal }) => fetchChat(characterId, signal),
    // The page keeps the conversation itself; a background refetch must not argue with a stream.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

/** Whom the reader plays: a persona's id, or one given whole. Left out, the server takes the default persona. */
export type Role = string | { name: string; description: string; gender: string };

export type Turn = { content: string; persona?: Role } | { isContinue: true; persona?: Role };

const generationPath = (chatId: string, generationId: string) =>
  `chats/${chatId}/generations/${generationId}`;

/** Sends a line, or asks for more, and yields the reply's events. The key makes a repeated send the same send. */
export const sendTurn = (chatId: string, turn: Turn, key: string, signal: AbortSignal) =>
  openStream("POST", `chats/${chatId}/messages`, {
    json: turn,
    headers: { "idempotency-key": key },
    signal,
  });

/** Joins a reply that is being written, or has just ended, after what was read of it. */
export const watchGeneration = (
  chatId: string,
  generationId: string,
  lastEventId: string | null,
  signal: AbortSignal,
) =>
  openStream("GET", generationPath(chatId, generationId), {
    signal,
    lastEventId: lastEventId ?? undefined,
  });

export const stopGeneration = (chatId: string, generationId: string) =>
  api.delete<{ aiMessage: Message | null }>(generationPath(chatId, generationId));

export const clearChat = (chatId: string) =>
  api.post<{ firstMessage: Message; messages: Message[] }>(`chats/${chatId}/clear`, { json: {} });

export type ReplyEvent =
  | {
      type: "start";
      generationId: string;
      userMessage: Message | null;
      aiMessage: Message | null;
      eventId?: string;
    }
  | { type: "delta"; text: string; eventId?: string }
  | { type: "done"; aiMessage: Message | null }
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
