import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { messageOf } from "@/shared/api/errors";
import { CHAT_TOAST_MS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { useNavigate } from "@/shared/router";
import { toast } from "@/shared/toast";
import { chatKeys, startChat } from "./api";
import { messages } from "./i18n";

/** Begins another chat with a character, beside those that are there, and goes to it. */
export function useNewChat(characterId: string): () => void {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useCallback(async () => {
    try {
      const { chatId } = await startChat(characterId);
      void client.invalidateQueries({ queryKey: chatKeys.all });
      void navigate(paths.chat(characterId, { chat: chatId }));
    } catch (error) {
      toast.error(messageOf(error, messages("talk")("newFailed")), { lifeMs: CHAT_TOAST_MS });
    }
  }, [client, navigate, characterId]);
}
