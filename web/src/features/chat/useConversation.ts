import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useReducer, useRef } from "react";
import { ApiError } from "@/shared/api/errors";
import type { ChatPage, Message } from "@/shared/api/types";
import { newKey } from "@/shared/key";
import { CHAT_TOAST_MS } from "@/shared/limits";
import { toast } from "@/shared/toast";
import { chatKeys, editAndReply, type Role, regenerate, sendTurn, stopGeneration, type Turn } from "./api";
import { type Conversation, conversationReducer, emptyConversation, localLine } from "./conversation";
import { messages as words } from "./i18n";
import { type History, type Past, useHistory, usePast } from "./useHistory";
import { useNews } from "./useNews";
import { type Ask, useReplies } from "./useReplies";
import { useTidying } from "./useTidying";

export interface ConversationControls extends Past {
  conversation: Conversation;
  usage: ChatPage["usage"];
  /** Resolves to false when the line was not taken and should be kept. */
  send: (content: string, persona: Role | undefined) => Promise<boolean>;
  proceed: (persona: Role | undefined) => Promise<void>;
  stop: () => Promise<void>;
  clear: () => Promise<boolean>;
  /** Brings back what was cleared last; null when there is nothing to bring back, or no longer. */
  unclear: (() => Promise<void>) | null;
  /** Another reply in place of one, or to one's own line. */
  again: (message: Message, persona: Role | undefined) => Promise<void>;
  /** One's own line in other words, and a reply to it. False when it was not taken. */
  sayAgain: (message: Message, content: string, persona: Role | undefined) => Promise<boolean>;
  /** Shows a path that the server has told. */
  show: (messages: Message[]) => void;
  /** Makes a change to the chat, during which older news of it is not shown. */
  during: History["during"];
}

const asOpened = (page: ChatPage) =>
  conversationReducer(emptyConversation, {
    type: "opened",
    messages: page.messages,
    generationId: page.running?.generationId ?? null,
  });

/** Keeps a chat: sends, reads the reply as it is written, stops it, clears; and hears what happens elsewhere. */
export function useConversation(page: ChatPage, onSubscribe: () => void): ConversationControls {
  const { chatId } = page;
  const client = useQueryClient();
  const [conversation, dispatch] = useReducer(conversationReducer, page, asOpened);
  const latest = useRef(conversation);
  latest.current = conversation;
  const life = useRef<AbortController>(null);
  const room = { page, latest, dispatch, life };
  const history = useHistory(room);
  const past = usePast(room);
  const replies = useReplies(room, history, onSubscribe);
  useNews(room, replies);
  const { run, settle } = replies;
  const { usage, during } = history;
  /** A line that did not get through, and its key: the same line again is the same send. */
  const unsent = useRef<{ content: string; key: string }>(null);

  const say = useCallback(
    (turn: Turn, key: string) => {
      const userMessage = "content" in turn ? localLine(chatId, turn.content) : null;
      const ask: Ask = (idempotencyKey, signal) => sendTurn(chatId, turn, idempotencyKey, signal);
      return run(ask, { userMessage }, key);
    },
    [chatId, run],
  );

  const send = useCallback(
    async (content: string, persona: Role | undefined) => {
      const key = unsent.current?.content === content ? unsent.current.key : newKey();
      unsent.current = { content, key };
      const taken = await say({ content, persona }, key);
      if (taken) unsent.current = null;
      return taken;
    },
    [say],
  );

  const proceed = useCallback(
    async (persona: Role | undefined) => {
      await say({ isContinue: true, persona }, newKey());
    },
    [say],
  );

  const again = useCallback(
    async ({ _id, parentId, senderType }: Message, persona: Role | undefined) => {
      const ask: Ask = (key, signal) => regenerate(chatId, _id, persona, key, signal);
      await run(ask, { userMessage: null, below: senderType === "user" ? _id : parentId }, newKey());
    },
    [chatId, run],
  );

  const sayAgain = useCallback(
    ({ _id, parentId }: Message, content: string, persona: Role | undefined) => {
      const ask: Ask = (key, signal) => editAndReply(chatId, _id, content, persona, key, signal);
      return run(ask, { userMessage: localLine(chatId, content), below: parentId }, newKey());
    },
    [chatId, run],
  );

  const show = useCallback(
    (messages: Message[]) => {
      dispatch({ type: "opened", messages, generationId: null });
      void client.invalidateQueries({ queryKey: chatKeys.mind(chatId) });
    },
    [client, chatId],
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
      const said = error instanceof ApiError ? error.message : words("talk")("stopFailed");
      toast.error(said, { lifeMs: CHAT_TOAST_MS, draggable: true });
    }
  }, [chatId]);

  const tidying = useTidying({ chatId, dispatch, show, settle, history });
  return { conversation, usage, send, proceed, stop, ...tidying, ...past, again, sayAgain, show, during };
}
