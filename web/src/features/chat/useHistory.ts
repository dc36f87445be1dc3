import { useQueryClient } from "@tanstack/react-query";
import { type RefObject, useCallback, useMemo, useRef, useState } from "react";
import { messageOf } from "@/shared/api/errors";
import type { ChatPage, Message } from "@/shared/api/types";
import { newKey } from "@/shared/key";
import { CHAT_TOAST_MS } from "@/shared/limits";
import { toast } from "@/shared/toast";
import { chatKeys, earlierOptions, fetchChat, MOST_MESSAGES } from "./api";
import { type Conversation, type ConversationAction, hasEarlier, meets } from "./conversation";
import { messages as words } from "./i18n";

/** Messages that are fetched before the first one: for somebody who reads, and for somebody who seeks one. */
const PAGE_MESSAGES = 100;
const SEEK_MESSAGES = 500;

export interface Room {
  page: ChatPage;
  latest: RefObject<Conversation>;
  dispatch: (action: ConversationAction) => void;
  /** Ends with the page. */
  life: RefObject<AbortController | null>;
}

export interface Past {
  /** A page more; false when it could not be fetched. Null when nothing comes before the first message. */
  earlier: (() => Promise<boolean>) | null;
  /** Fetches back to a message of the path that is shown; false when it is on another, null when it cannot be said. */
  reach: (messageId: string) => Promise<boolean | null>;
  /** Fetches all that was ever said on the path; false when it could not be fetched. */
  readAll: () => Promise<boolean>;
}

/** Fetches what was said before the first message: a page, as much as leads to one, or all of it. */
export function usePast({ page, latest, dispatch, life }: Room): Past {
  const { chatId } = page;
  const characterId = page.character._id;
  const client = useQueryClient();
  const more = hasEarlier(latest.current.messages);

  const back = useCallback(
    async (limit: number, enough: (messages: Message[]) => boolean): Promise<boolean> => {
      const signal = life.current?.signal;
      let first = latest.current.messages[0];
      while (first && first.parentId !== null && !signal?.aborted) {
        const { messages } = await client.fetchQuery({
          ...earlierOptions(characterId, chatId, first._id, limit),
          // A house that is busy is asked again, as everywhere.
          retry: client.getDefaultOptions().queries?.retry,
        });
        if (signal?.aborted) return false;
        if (messages.length === 0) return false;
        dispatch({ type: "earlier", messages });
        if (enough(messages)) return true;
        first = messages[0];
      }
      return false;
    },
    [client, characterId, chatId, latest, dispatch, life],
  );
  /** Runs, and says so where the messages did not come. */
  const told = useCallback(
    (work: Promise<boolean>): Promise<boolean | null> =>
      work.catch((error: unknown) => {
        if (!life.current?.signal.aborted) {
          const said = messageOf(error, words("talk")("earlierFailed"));
          toast.error(said, { lifeMs: CHAT_TOAST_MS, draggable: true });
        }
        return null;
      }),
    [life],
  );

  const earlier = useCallback(
    async () => (await told(back(PAGE_MESSAGES, () => true))) ?? false,
    [told, back],
  );
  const reach = useCallback(
    async (id: string) => {
      const holds = (messages: readonly Message[]) => messages.some(({ _id }) => _id === id);
      return holds(latest.current.messages) || told(back(SEEK_MESSAGES, holds));
    },
    [told, back, latest],
  );
  const readAll = useCallback(
    async () => (await told(back(MOST_MESSAGES, () => false))) !== null,
    [told, back],
  );
  return useMemo(() => ({ earlier: more ? earlier : null, reach, readAll }), [more, earlier, reach, readAll]);
}

/** Keeps a chat as the server has it: what is fetched, what was counted, and what has to be read anew. */
export function useHistory({ page, latest, dispatch, life }: Room) {
  const { chatId } = page;
  const characterId = page.character._id;
  const client = useQueryClient();
  const [usage, setUsage] = useState(page.usage);
  const [undoUntil, setUndoUntil] = useState(page.clearUndoUntil);
  const asked = useRef(0);
  /** Changes that this page makes: those under way, and all there were. */
  const own = useRef({ open: 0, all: 0 });

  /** Makes a change. What is fetched meanwhile may be older than it, and is not shown. */
  const during = useCallback(async <T>(work: () => Promise<T>): Promise<T> => {
    own.current.open++;
    own.current.all++;
    try {
      return await work();
    } finally {
      own.current.open--;
    }
  }, []);

  /**
   * Asks the server how things stand, and shows it unless a reply is being written here. Resolves to the id of a
   * reply that is being written there: it is to be joined.
   */
  const refresh = useCallback(async (): Promise<string | null> => {
    asked.current = Date.now();
    const { all } = own.current;
    const signal = life.current?.signal;
    // Not shared with another that is under way: what it asks for may be newer. A busy house is asked again.
    const fetchPage = (limit?: number) =>
      client
        .fetchQuery({
          queryKey: chatKeys.news(chatId, newKey()),
          queryFn: (query) => fetchChat(characterId, chatId, query.signal, limit),
          gcTime: 0,
          retry: client.getDefaultOptions().queries?.retry,
        })
        .catch(() => null);
    let fresh = await fetchPage();
    // More was said elsewhere than one page holds, or on another branch.
    if (fresh && !meets(latest.current.messages, fresh.messages)) fresh = await fetchPage(MOST_MESSAGES);
    if (!fresh || signal?.aborted) return null;
    setUsage(fresh.usage);
    setUndoUntil(fresh.clearUndoUntil);
    if (latest.current.live || own.current.open > 0 || own.current.all !== all) return null;
    const generationId = fresh.running?.generationId ?? null;
    // A reply that ended without telling us how: the server's history is the truth.
    dispatch({ type: "opened", messages: fresh.messages, generationId });
    return generationId;
  }, [client, characterId, chatId, latest, dispatch, life]);

  /** What was derived from the chat is read anew; lists of chats are, by a hint, wherever they are. */
  const forget = useCallback(
    () => void client.invalidateQueries({ queryKey: chatKeys.mind(chatId) }),
    [client, chatId],
  );

  return { usage, undoUntil, setUndoUntil, asked, own, during, refresh, forget };
}

export type History = ReturnType<typeof useHistory>;
