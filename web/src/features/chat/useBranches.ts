import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { messageOf } from "@/shared/api/errors";
import type { Message } from "@/shared/api/types";
import { CHAT_TOAST_MS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { useNavigate } from "@/shared/router";
import { toast } from "@/shared/toast";
import { chatKeys, deleteMessage, editMessage, forkChat, type Role, restoreMessage, setLeaf } from "./api";
import { pathTo } from "./conversation";
import { useMessages, messages as words } from "./i18n";
import type { TurnActions } from "./turnActions";
import type { ConversationControls } from "./useConversation";

const IN_CHAT = { lifeMs: CHAT_TOAST_MS, draggable: true };

/** A message that the reader is led to. A new object leads there again. */
export interface Spot {
  id: string;
  /** The keyboard goes there as well. */
  focus: boolean;
}

interface Room {
  chatId: string;
  controls: ConversationControls;
  role: Role | undefined;
  /** Asked before a reply is; false where there is none to be had. */
  mayAsk: () => boolean;
  onSee: (message: Message) => void;
  onRemember: (message: Message) => void;
}

/** What the reader may do with each message: leaf through its versions, change it, take it away, go on from it. */
export function useBranches({ chatId, controls, role, mayAsk, onSee, onRemember }: Room) {
  const { conversation, show, again, sayAgain, during, reach } = controls;
  const client = useQueryClient();
  const navigate = useNavigate();
  const [spot, setSpot] = useState<Spot | null>(null);
  const wait = useMessages("turn")("wait");
  const locked = conversation.live ? wait : null;
  const now = useRef({ messages: conversation.messages, locked, role, mayAsk });
  now.current = { messages: conversation.messages, locked, role, mayAsk };

  /** Versions that were on the page before: they can be shown before the server answers. */
  const seen = useRef(new Map<string, Message>());
  useEffect(() => {
    for (const message of conversation.messages) seen.current.set(message._id, message);
  }, [conversation.messages]);

  /** One move after the other; of those that wait, the last one counts. */
  const moves = useRef({ last: 0, queue: Promise.resolve() });
  const goTo = useCallback(
    (messageId: string) => {
      const move = ++moves.current.last;
      const before = now.current.messages;
      moves.current.queue = moves.current.queue.then(async () => {
        if (move !== moves.current.last) return;
        try {
          const { messages } = await during(() => setLeaf(chatId, messageId));
          if (move === moves.current.last && !now.current.locked) show(messages);
        } catch (error) {
          if (move !== moves.current.last) return;
          show(before);
          toast.error(messageOf(error, words("turn")("versionFailed")), IN_CHAT);
        }
      });
      return moves.current.queue;
    },
    [chatId, show, during],
  );

  /** Brings a message of any branch into view; `leaf`: goes to the newest end of its branch. */
  const jumpTo = useCallback(
    async (messageId: string, { focus = true, leaf = false }: { focus?: boolean; leaf?: boolean } = {}) => {
      const here = !leaf && (await reach(messageId));
      if (here === null) return;
      if (!here) {
        if (now.current.locked) return void toast.info(now.current.locked, IN_CHAT);
        await goTo(messageId);
      }
      setSpot({ id: messageId, focus });
    },
    [goTo, reach],
  );

  const actions = useMemo<Omit<TurnActions, "locked">>(() => {
    const remove = async (message: Message) => {
      const before = now.current.messages;
      show(pathTo(before, message.parentId));
      const undo = async () => {
        if (now.current.locked) return offer(now.current.locked);
        try {
          show((await during(() => restoreMessage(chatId, message._id))).messages);
        } catch (error) {
          toast.error(messageOf(error, words("turn")("backFailed")), IN_CHAT);
        }
      };
      const offer = (text: string) => void toast.undo(text, () => void undo());
      try {
        const { deleted, messages } = await during(() => deleteMessage(chatId, message._id));
        show(messages);
        offer(words("turn")("deleted", { count: deleted }));
        void client.invalidateQueries({ queryKey: chatKeys.all });
      } catch (error) {
        show(before);
        toast.error(messageOf(error, words("turn")("deleteFailed")), IN_CHAT);
      }
    };
    return {
      swipe: (message, step) => {
        const next = message.siblings[message.variant - 1 + step];
        if (!next) return;
        const known = seen.current.get(next);
        if (known) show([...pathTo(now.current.messages, message.parentId), known]);
        void goTo(next);
      },
      again: (message) => {
        if (now.current.mayAsk()) void again(message, now.current.role);
      },
      edit: async (message, content, reply) => {
        if (reply) return now.current.mayAsk() && sayAgain(message, content, now.current.role);
        try {
          show((await during(() => editMessage(chatId, message._id, content))).messages);
          return true;
        } catch (error) {
          toast.error(messageOf(error, words("turn")("changeFailed")), IN_CHAT);
          return false;
        }
      },
      remove: (message) => void remove(message),
      fork: async (message) => {
        try {
          const forked = await forkChat(chatId, message._id);
          void client.invalidateQueries({ queryKey: chatKeys.all });
          toast.success(words("turn")("forked"), IN_CHAT);
          void navigate(paths.chat(forked.characterId, { chat: forked.chatId }));
        } catch (error) {
          toast.error(messageOf(error, words("turn")("forkFailed")), IN_CHAT);
        }
      },
      copy: async (message) => {
        try {
          await navigator.clipboard.writeText(message.content);
          toast.success(words("turn")("copied"), IN_CHAT);
        } catch {
          toast.error(words("turn")("copyFailed"), IN_CHAT);
        }
      },
      see: onSee,
      remember: onRemember,
    };
  }, [chatId, client, navigate, show, again, sayAgain, during, goTo, onSee, onRemember]);

  return { actions: useMemo(() => ({ ...actions, locked }), [actions, locked]), jumpTo, spot };
}
