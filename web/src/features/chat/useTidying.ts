import { type RefObject, useCallback, useState } from "react";
import { messageOf } from "@/shared/api/errors";
import type { ChatPage, Message } from "@/shared/api/types";
import { CHAT_TOAST_MS } from "@/shared/limits";
import { toast } from "@/shared/toast";
import { clearChat, fetchEarlier, undoClear } from "./api";
import type { Conversation, ConversationAction } from "./conversation";
import { tellOtherTabs } from "./otherTabs";

const IN_CHAT = { lifeMs: CHAT_TOAST_MS, draggable: true };

interface Room {
  page: ChatPage;
  latest: RefObject<Conversation>;
  dispatch: (action: ConversationAction) => void;
  show: (messages: Message[]) => void;
  settle: () => Promise<void>;
  undoUntil: string | null;
  setUndoUntil: (until: string | null) => void;
}

/** Clears a chat and brings it back, and fetches what was said long ago. */
export function useTidying({ page, latest, dispatch, show, settle, undoUntil, setUndoUntil }: Room) {
  const { chatId } = page;
  const characterId = page.character._id;
  const [hasEarlier, setHasEarlier] = useState(page.hasEarlier);

  const unclear = useCallback(async () => {
    try {
      show((await undoClear(chatId)).messages);
      setUndoUntil(null);
      void settle();
    } catch (error) {
      toast.error(messageOf(error, "The chat could not be brought back."), IN_CHAT);
    }
  }, [chatId, settle, show, setUndoUntil]);

  const clear = useCallback(async () => {
    try {
      const { messages, firstMessage, undoUntil: until } = await clearChat(chatId);
      dispatch({ type: "opened", messages: messages ?? [firstMessage], generationId: null });
      setUndoUntil(until);
      if (until) toast.undo("Chat cleared successfully", () => void unclear());
      else toast.success("Chat cleared successfully", IN_CHAT);
      void settle();
      tellOtherTabs(chatId);
      return true;
    } catch {
      toast.error("Error clearing chat", IN_CHAT);
      return false;
    }
  }, [chatId, settle, unclear, dispatch, setUndoUntil]);

  const earlier = useCallback(async () => {
    const first = latest.current.messages[0];
    if (!first) return;
    try {
      const before = await fetchEarlier(characterId, chatId, first._id);
      dispatch({ type: "earlier", messages: before.messages });
      setHasEarlier(before.hasEarlier);
    } catch (error) {
      toast.error(messageOf(error, "The earlier messages could not be fetched."), IN_CHAT);
    }
  }, [characterId, chatId, latest, dispatch]);

  const undoable = undoUntil !== null && Date.parse(undoUntil) > Date.now();
  return { clear, unclear: undoable ? unclear : null, earlier: hasEarlier ? earlier : null };
}
