import { useCallback, useEffect, useRef } from "react";
import type { ServerEvent } from "@/shared/api/sse";
import type { Message } from "@/shared/api/types";
import { messages } from "@/shared/i18n";
import { CHAT_TOAST_MS } from "@/shared/limits";
import { toast } from "@/shared/toast";
import { watchGeneration } from "./api";
import { readReply } from "./readReply";
import type { History, Room } from "./useHistory";
import { pause } from "./wake";

/** Waits before a broken stream is joined again, ms; after the last one the reply counts as lost. */
const REJOIN_WAITS_MS = [300, 1000, 3000, 6000, 10_000, 10_000, 10_000] as const;
/** Refusals that a membership would lift. */
const NEEDS_PLAN = new Set(["subscribe_required", "allowance_used"]);

/** How a turn is asked for. */
export type Ask = (key: string, signal: AbortSignal) => AsyncGenerator<ServerEvent>;
export interface Shown {
  /** One's own line, shown before the server has it. */
  userMessage: Message | null;
  /** The last message that stays; the end of the path when absent. */
  below?: string | null;
}

export interface Replies {
  history: History;
  /** Asks for a turn and reads the reply. Resolves to false when the turn was not taken. */
  run: (ask: Ask, shown: Shown, key: string) => Promise<boolean>;
  /** Shows how things stand, and reads what is being written. */
  catchUp: () => Promise<void>;
  /** The same, with all that was derived from the chat. */
  settle: () => Promise<void>;
  /** Lets go of the stream that is read now: it is joined anew. */
  cut: () => void;
}

/** Reads replies as they are written: asked for here or elsewhere, over breaks and reloads. */
export function useReplies(
  { page, latest, dispatch, life }: Room,
  history: History,
  onSubscribe: () => void,
): Replies {
  const { chatId } = page;
  const { refresh, forget } = history;
  const reading = useRef<AbortController>(null);
  const cut = useCallback(() => reading.current?.abort(), []);

  /** Reads a stream until it ends, or until it is cut. */
  const read = useCallback(
    (open: (signal: AbortSignal) => AsyncGenerator<ServerEvent>) => {
      const own = new AbortController();
      reading.current = own;
      const signals = life.current ? [life.current.signal, own.signal] : [own.signal];
      return readReply(open(AbortSignal.any(signals)), dispatch);
    },
    [life, dispatch],
  );

  /** Reads a running reply until it ends, coming back after breaks. */
  const follow = useCallback(
    async (generationId: string, from: string | null, signal: AbortSignal) => {
      let lastEventId = from;
      for (let attempt = 0; !signal.aborted; attempt++) {
        const result = await read((until) => watchGeneration(chatId, generationId, lastEventId, until));
        if (signal.aborted || result.ended) return;
        lastEventId = result.position?.lastEventId ?? lastEventId;
        // Without a network, and after a cut of our own, nothing was tried.
        if (result.progressed || reading.current?.signal.aborted || !navigator.onLine) attempt = 0;
        const wait = REJOIN_WAITS_MS[attempt];
        const refused = result.error !== undefined && !result.error.isNetwork;
        if (refused || wait === undefined) return dispatch({ type: "lost" });
        await pause(wait, signal);
      }
    },
    [chatId, read, dispatch],
  );

  /** Follows a reply, then sees how things stand; another may be running by then. */
  const join = useCallback(
    async (generationId: string, from: string | null) => {
      const signal = life.current?.signal;
      if (!signal) return;
      for (let next: string | null = generationId; next; ) {
        await follow(next, next === generationId ? from : null, signal);
        if (signal.aborted) return;
        forget();
        next = await refresh();
      }
    },
    [life, follow, forget, refresh],
  );

  const catchUp = useCallback(async () => {
    const running = await refresh();
    if (running) void join(running, null);
  }, [refresh, join]);
  const settle = useCallback(() => {
    forget();
    return catchUp();
  }, [forget, catchUp]);

  useEffect(() => {
    const controller = new AbortController();
    life.current = controller;
    const { live } = latest.current;
    // What the history already holds of the reply need not come again; the reducer drops any overlap.
    if (live?.generationId) void join(live.generationId, live.lastEventId);
    return () => controller.abort();
  }, [life, latest, join]);

  const run = useCallback(
    async (ask: Ask, shown: Shown, key: string): Promise<boolean> => {
      const signal = life.current?.signal;
      if (!signal) return false;
      dispatch({ type: "sending", ...shown });
      const result = await read((until) => ask(key, until));
      if (signal.aborted) return true;
      if (result.ended) {
        void settle();
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
      else
        toast.error(error?.message ?? messages("call")("noAnswer"), {
          lifeMs: CHAT_TOAST_MS,
          draggable: true,
        });
      if (error?.code === "generation_running") await catchUp();
      return false;
    },
    [life, read, join, settle, catchUp, dispatch, onSubscribe],
  );
  return { history, run, catchUp, settle, cut };
}
