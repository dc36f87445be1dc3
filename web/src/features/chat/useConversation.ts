import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useReducer, useRef, useState } from "react";
import { ApiError } from "@/shared/api/errors";
import type { ServerEvent } from "@/shared/api/sse";
import type { ChatPage, Message } from "@/shared/api/types";
import { newKey } from "@/shared/key";
import { CHAT_TOAST_MS } from "@/shared/limits";
import { toast } from "@/shared/toast";
import {
  clearChat,
  fetchChat,
  replyEvent,
  sendTurn,
  stopGeneration,
  type Turn,
  watchGeneration,
} from "./api";
import { type Conversation, conversationReducer, emptyConversation, LOCAL_ID } from "./conversation";

const IN_CHAT = { lifeMs: CHAT_TOAST_MS, draggable: true };
/** Waits before a broken stream is joined again, ms; after the last one the reply counts as lost. */
const REJOIN_WAITS_MS = [300, 1000, 3000, 6000] as const;
/** Refusals that a membership would lift. */
const NEEDS_PLAN = new Set(["subscribe_required", "allowance_used"]);

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

function localLine(chatId: string, content: string): Message {
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
  };
}

export interface ConversationControls {
  conversation: Conversation;
  usage: ChatPage["usage"];
  /** Resolves to false when the line was not taken and should be kept. */
  send: (content: string, persona: string | undefined) => Promise<boolean>;
  proceed: (persona: string | undefined) => Promise<void>;
  stop: () => Promise<void>;
  clear: () => Promise<boolean>;
}

/** Keeps a chat: sends, reads the reply as it is written, joins again after a break, stops, clears. */
export function useConversation(page: ChatPage, onSubscribe: () => void): ConversationControls {
  const { chatId } = page;
  const characterId = page.character._id;
  const client = useQueryClient();
  const [conversation, dispatch] = useReducer(conversationReducer, emptyConversation, () =>
    conversationReducer(emptyConversation, {
      type: "opened",
      messages: page.messages,
      generationId: page.running?.generationId ?? null,
    }),
  );
  const [usage, setUsage] = useState(page.usage);
  const latest = useRef(conversation);
  latest.current = conversation;
  const life = useRef<AbortController>(null);
  /** A line that did not get through, and its key: the same line again is the same send. */
  const unsent = useRef<{ content: string; key: string }>(null);

  const settle = useCallback(async () => {
    void client.invalidateQueries({ queryKey: ["chats"] });
    const fresh = await fetchChat(characterId).catch(() => null);
    if (!fresh || life.current?.signal.aborted) return;
    setUsage(fresh.usage);
    // A reply that ended without telling us how: the server's history is the truth.
    if (!latest.current.live && !fresh.running) {
      dispatch({ type: "opened", messages: fresh.messages, generationId: null });
    }
  }, [client, characterId]);

  /** Reads a stream to its end. Tells whether the reply ended, and how far reading got. */
  const read = useCallback(async (events: AsyncGenerator<ServerEvent>) => {
    let position: { generationId: string; lastEventId: string | null } | null = null;
    try {
      for await (const raw of events) {
        const event = replyEvent(raw);
        if (!event) continue;
        dispatch(event);
        if (event.type === "done" || event.type === "error") return { ended: true, position, event } as const;
        if (event.type === "start") {
          position = { generationId: event.generationId, lastEventId: raw.id ?? null };
        } else if (position) position.lastEventId = raw.id ?? position.lastEventId;
        else {
          const generationId = raw.id?.replace(/:\d+$/, "");
          if (generationId) position = { generationId, lastEventId: raw.id ?? null };
        }
      }
    } catch (error) {
      return { ended: false, position, error } as const;
    }
    return { ended: false, position } as const;
  }, []);

  /** Joins a running reply until it ends, coming back after breaks. */
  const join = useCallback(
    async (generationId: string, from: string | null) => {
      const signal = life.current?.signal;
      if (!signal) return;
      let lastEventId = from;
      for (let attempt = 0; !signal.aborted; attempt++) {
        const result = await read(watchGeneration(chatId, generationId, lastEventId, signal));
        if (signal.aborted) return;
        if (result.ended) break;
        const refused = "error" in result && result.error instanceof ApiError && !result.error.isNetwork;
        if (result.position) {
          lastEventId = result.position.lastEventId ?? lastEventId;
          attempt = 0;
        }
        const wait = REJOIN_WAITS_MS[attempt];
        if (refused || wait === undefined) {
          dispatch({ type: "lost" });
          break;
        }
        await pause(wait);
      }
      if (!signal.aborted) await settle();
    },
    [chatId, read, settle],
  );

  useEffect(() => {
    const controller = new AbortController();
    life.current = controller;
    const { live } = latest.current;
    if (live?.generationId) {
      // What the history already holds of the reply need not come again; the reducer drops any overlap.
      void join(live.generationId, live.lastEventId);
    }
    return () => controller.abort();
  }, [join]);

  /** The server says something else is being written: read that instead. */
  const joinOther = useCallback(async () => {
    const fresh = await fetchChat(characterId).catch(() => null);
    if (!fresh) return;
    const generationId = fresh.running?.generationId ?? null;
    dispatch({ type: "opened", messages: fresh.messages, generationId });
    setUsage(fresh.usage);
    if (generationId) void join(generationId, null);
  }, [characterId, join]);

  const run = useCallback(
    async (turn: Turn, key: string): Promise<boolean> => {
      const signal = life.current?.signal;
      if (!signal) return false;
      dispatch({
        type: "sending",
        userMessage: "content" in turn ? localLine(chatId, turn.content) : null,
      });
      const result = await read(sendTurn(chatId, turn, key, signal));
      if (signal.aborted) return true;
      if (result.ended) {
        if (result.event.type === "error" && !result.position) {
          // Refused before anything was stored.
          dispatch({ type: "unsent" });
          toast.error(result.event.msg, IN_CHAT);
          return false;
        }
        void settle();
        return true;
      }
      if (result.position) {
        // Joined elsewhere, so that the composer is free again as soon as the line is stored.
        void join(result.position.generationId, result.position.lastEventId);
        return true;
      }
      dispatch({ type: "unsent" });
      const error = "error" in result ? result.error : undefined;
      if (error instanceof ApiError) {
        if (NEEDS_PLAN.has(error.code)) onSubscribe();
        else toast.error(error.message, IN_CHAT);
        if (error.code === "generation_running") await joinOther();
      }
      return false;
    },
    [chatId, read, join, joinOther, settle, onSubscribe],
  );

  const send = useCallback(
    async (content: string, persona: string | undefined) => {
      const key = unsent.current?.content === content ? unsent.current.key : newKey();
      unsent.current = { content, key };
      const taken = await run({ content, persona }, key);
      if (taken) unsent.current = null;
      return taken;
    },
    [run],
  );

  const proceed = useCallback(
    async (persona: string | undefined) => {
      await run({ isContinue: true, persona }, newKey());
    },
    [run],
  );

  const stop = useCallback(async () => {
    const { live } = latest.current;
    if (!live?.generationId) return;
    dispatch({ type: "stopping" });
    try {
      const { aiMessage } = await stopGeneration(chatId, live.generationId);
      // The stream says so too; whichever comes first ends it.
      if (aiMessage && latest.current.live?.generationId === live.generationId) {
        dispatch({ type: "done", aiMessage });
      }
    } catch (error) {
      // Already over: the stream brings its end.
      if (error instanceof ApiError && error.status === 404) return;
      toast.error(error instanceof ApiError ? error.message : "The reply could not be stopped.", IN_CHAT);
    }
  }, [chatId]);

  const clear = useCallback(async () => {
    try {
      const { messages, firstMessage } = await clearChat(chatId);
      dispatch({ type: "opened", messages: messages ?? [firstMessage], generationId: null });
      toast.success("Chat cleared successfully", IN_CHAT);
      void settle();
      return true;
    } catch {
      toast.error("Error clearing chat", IN_CHAT);
      return false;
    }
  }, [chatId, settle]);

  return { conversation, usage, send, proceed, stop, clear };
}
