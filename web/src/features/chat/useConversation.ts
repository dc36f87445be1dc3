import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useReducer, useRef, useState } from "react";
import { ApiError, NETWORK_MESSAGE } from "@/shared/api/errors";
import type { ServerEvent } from "@/shared/api/sse";
import type { ChatPage, Message } from "@/shared/api/types";
import { newKey } from "@/shared/key";
import { CHAT_TOAST_MS } from "@/shared/limits";
import { toast } from "@/shared/toast";
import {
  chatKeys,
  editAndReply,
  fetchChat,
  type Role,
  regenerate,
  sendTurn,
  stopGeneration,
  type Turn,
  watchGeneration,
} from "./api";
import {
  type Conversation,
  type ConversationAction,
  conversationReducer,
  emptyConversation,
  localLine,
} from "./conversation";
import { onOtherTab, tellOtherTabs } from "./otherTabs";
import { readReply } from "./readReply";
import { useTidying } from "./useTidying";
import { onWake, pause } from "./wake";

const IN_CHAT = { lifeMs: CHAT_TOAST_MS, draggable: true };
/** Waits before a broken stream is joined again, ms; after the last one the reply counts as lost. */
const REJOIN_WAITS_MS = [300, 1000, 3000, 6000, 10_000, 10_000, 10_000] as const;
/** Somebody who comes back is shown what is new, but not more often than this, ms. */
const FRESH_MS = 5000;
/** Refusals that a membership would lift. */
const NEEDS_PLAN = new Set(["subscribe_required", "allowance_used"]);

export interface ConversationControls {
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
  /** Fetches what comes before the first message; null when nothing does. */
  earlier: (() => Promise<void>) | null;
  /** Shows a path that the server has told. */
  show: (messages: Message[]) => void;
}

/** How a turn is asked for. */
type Ask = (key: string, signal: AbortSignal) => AsyncGenerator<ServerEvent>;
interface Shown {
  /** One's own line, shown before the server has it. */
  userMessage: Message | null;
  /** The last message that stays; the end of the path when absent. */
  below?: string | null;
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
  const [undoUntil, setUndoUntil] = useState(page.clearUndoUntil);
  const latest = useRef(conversation);
  latest.current = conversation;
  const life = useRef<AbortController>(null);
  /** Cuts the stream that is read now, so that it is joined anew. */
  const cut = useRef<AbortController>(null);
  const asked = useRef(0);
  /** Joins a reply; what asks for it comes before it here. */
  const joined = useRef<(generationId: string) => void>(null);
  /** A line that did not get through, and its key: the same line again is the same send. */
  const unsent = useRef<{ content: string; key: string }>(null);

  /** Asks the server how things stand, and shows it unless a reply is being written here; one that is written there is joined. */
  const refresh = useCallback(async () => {
    asked.current = Date.now();
    const fresh = await fetchChat(characterId, chatId).catch(() => null);
    if (!fresh || life.current?.signal.aborted) return;
    setUsage(fresh.usage);
    setUndoUntil(fresh.clearUndoUntil);
    if (latest.current.live) return;
    // What was fetched beyond the newest part of a long path stays.
    if (latest.current.messages.length > fresh.messages.length && fresh.hasEarlier) return;
    const generationId = fresh.running?.generationId ?? null;
    // A reply that ended without telling us how: the server's history is the truth.
    dispatch({ type: "opened", messages: fresh.messages, generationId });
    if (generationId) joined.current?.(generationId);
  }, [characterId, chatId]);

  const forget = useCallback(() => {
    void client.invalidateQueries({ queryKey: chatKeys.all });
    void client.invalidateQueries({ queryKey: chatKeys.mind(chatId) });
  }, [client, chatId]);

  const settle = useCallback(async () => {
    forget();
    await refresh();
  }, [forget, refresh]);

  /** Reads a stream until it ends, or until it is cut. */
  const read = useCallback(
    (
      open: (signal: AbortSignal) => AsyncGenerator<ServerEvent>,
      tell: (action: ConversationAction) => void,
    ) => {
      const own = new AbortController();
      cut.current = own;
      const signals = life.current ? [life.current.signal, own.signal] : [own.signal];
      return readReply(open(AbortSignal.any(signals)), tell);
    },
    [],
  );

  /** Joins a running reply until it ends, coming back after breaks. */
  const join = useCallback(
    async (generationId: string, from: string | null) => {
      const signal = life.current?.signal;
      if (!signal) return;
      let lastEventId = from;
      for (let attempt = 0; !signal.aborted; attempt++) {
        const result = await read(
          (until) => watchGeneration(chatId, generationId, lastEventId, until),
          dispatch,
        );
        if (signal.aborted) return;
        if (result.ended) break;
        lastEventId = result.position?.lastEventId ?? lastEventId;
        // Without a network, and after a cut of our own, nothing was tried.
        if (result.progressed || cut.current?.signal.aborted || !navigator.onLine) attempt = 0;
        const wait = REJOIN_WAITS_MS[attempt];
        const refused = result.error !== undefined && !result.error.isNetwork;
        if (refused || wait === undefined) {
          dispatch({ type: "lost" });
          break;
        }
        await pause(wait, signal);
      }
      if (!signal.aborted) await settle();
    },
    [chatId, read, settle],
  );
  joined.current = (generationId) => void join(generationId, null);

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

  useEffect(() => {
    const deaf = onOtherTab((changed) => {
      if (changed !== chatId) return;
      forget();
      void refresh();
    });
    const rest = onWake((slept) => {
      if (!latest.current.live) {
        if (slept || Date.now() - asked.current > FRESH_MS) void refresh();
      } else if (slept && latest.current.live.generationId) {
        cut.current?.abort();
      }
    });
    return () => {
      deaf();
      rest();
    };
  }, [chatId, forget, refresh]);

  const run = useCallback(
    async (ask: Ask, shown: Shown, key: string): Promise<boolean> => {
      const signal = life.current?.signal;
      if (!signal) return false;
      dispatch({ type: "sending", ...shown });
      const tell = (action: ConversationAction) => {
        dispatch(action);
        if (action.type === "start") tellOtherTabs(chatId);
      };
      const result = await read((until) => ask(key, until), tell);
      if (signal.aborted) return true;
      if (result.ended) {
        void settle();
        tellOtherTabs(chatId);
        return true;
      }
      if (result.position) {
        // The line is stored; only the way back broke.
        void join(result.position.generationId, result.position.lastEventId);
        return true;
      }
      dispatch({ type: "unsent" });
      const { error } = result;
      if (error && NEEDS_PLAN.has(error.code)) onSubscribe();
      else toast.error(error?.message ?? NETWORK_MESSAGE, IN_CHAT);
      if (error?.code === "generation_running") await refresh();
      return false;
    },
    [chatId, read, join, refresh, settle, onSubscribe],
  );

  const say = useCallback(
    (turn: Turn, key: string) => {
      const userMessage = "content" in turn ? localLine(chatId, turn.content) : null;
      return run(
        (idempotencyKey, signal) => sendTurn(chatId, turn, idempotencyKey, signal),
        { userMessage },
        key,
      );
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
      tellOtherTabs(chatId);
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
      toast.error(error instanceof ApiError ? error.message : "The reply could not be stopped.", IN_CHAT);
    }
  }, [chatId]);

  const tidying = useTidying({ page, latest, dispatch, show, settle, undoUntil, setUndoUntil });
  return {
    conversation,
    usage,
    send,
    proceed,
    stop,
    ...tidying,
    again,
    sayAgain,
    show,
  };
}
