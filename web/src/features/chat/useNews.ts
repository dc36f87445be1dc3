import { useEffect } from "react";
import { OPENED, onHint, RECONNECTED } from "@/shared/hints";
import type { Room } from "./useHistory";
import type { Replies } from "./useReplies";
import { onWake } from "./wake";

/** Somebody who comes back is shown what is new, but not more often than this, ms. */
const FRESH_MS = 5000;
/** Hint of a chat whose messages have changed. */
const CHANGED = "chat.changed";

/** Asks anew when the chat was changed elsewhere, and when the reader or the network comes back. */
export function useNews(
  { page, latest }: Pick<Room, "page" | "latest">,
  { history, catchUp, cut }: Replies,
): void {
  const { chatId } = page;
  const { asked, own, forget } = history;
  useEffect(
    () =>
      onHint((hint) => {
        // What changed while nobody listened was told to nobody.
        const missed = hint === RECONNECTED || hint === OPENED;
        if (!missed && (hint.type !== CHANGED || hint.id !== chatId)) return;
        // What this page does itself, and what it reads, ends with asking anew.
        if (latest.current.live || own.current.open > 0) return;
        forget();
        void catchUp();
      }),
    [chatId, latest, own, forget, catchUp],
  );
  useEffect(
    () =>
      onWake((slept) => {
        if (!latest.current.live) {
          if (slept || Date.now() - asked.current > FRESH_MS) void catchUp();
        } else if (slept && latest.current.live.generationId) {
          cut();
        }
      }),
    [latest, asked, catchUp, cut],
  );
}
