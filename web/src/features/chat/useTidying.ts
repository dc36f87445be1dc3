import { useCallback } from "react";
import { messageOf } from "@/shared/api/errors";
import type { Message } from "@/shared/api/types";
import { CHAT_TOAST_MS } from "@/shared/limits";
import { toast } from "@/shared/toast";
import { clearChat, undoClear } from "./api";
import type { ConversationAction } from "./conversation";
import { messages as words } from "./i18n";
import type { History } from "./useHistory";

const IN_CHAT = { lifeMs: CHAT_TOAST_MS, draggable: true };

interface Tidying {
  chatId: string;
  dispatch: (action: ConversationAction) => void;
  show: (messages: Message[]) => void;
  settle: () => Promise<void>;
  history: History;
}

/** Clears a chat and brings it back. */
export function useTidying({ chatId, dispatch, show, settle, history }: Tidying) {
  const { during, undoUntil, setUndoUntil } = history;

  const unclear = useCallback(async () => {
    try {
      show((await during(() => undoClear(chatId))).messages);
      setUndoUntil(null);
      void settle();
    } catch (error) {
      toast.error(messageOf(error, words("talk")("backFailed")), IN_CHAT);
    }
  }, [chatId, during, settle, show, setUndoUntil]);

  const clear = useCallback(async () => {
    try {
      const { messages, firstMessage, undoUntil: until } = await during(() => clearChat(chatId));
      dispatch({ type: "opened", messages: messages ?? [firstMessage], generationId: null });
      setUndoUntil(until);
      if (until) toast.undo(words("talk")("cleared"), () => void unclear());
      else toast.success(words("talk")("cleared"), IN_CHAT);
      void settle();
      return true;
    } catch {
      toast.error(words("talk")("clearFailed"), IN_CHAT);
      return false;
    }
  }, [chatId, during, settle, unclear, dispatch, setUndoUntil]);

  const undoable = undoUntil !== null && Date.parse(undoUntil) > Date.now();
  return { clear, unclear: undoable ? unclear : null };
}
