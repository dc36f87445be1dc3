import { ChevronDown, ChevronUp, Search, X } from "lucide-react";
import { useEffect, useState } from "react";
import type { Message } from "@/shared/api/types";
import { IconButton } from "@/shared/ui";
import { hasEarlier } from "../conversation";
import { holding } from "../find";
import { useMessages } from "../i18n";
import { useSettled } from "../useSettled";

/** A search begins once nothing was typed for this long, ms. */
const TYPING_MS = 200;

interface FindBarProps {
  messages: readonly Message[];
  /** Fetches the messages that are not here yet; false when they could not be fetched. */
  onReadAll: () => Promise<boolean>;
  /** Words to be marked. */
  onWords: (words: string) => void;
  /** Leads to a message; the keyboard stays in the field. */
  onJump: (messageId: string) => void;
  onClose: () => void;
}

/** Looks for words in this chat: one message after the other, from the newest. */
export function FindBar({ messages, onReadAll, onWords, onJump, onClose }: FindBarProps) {
  const [reading, setReading] = useState(() => hasEarlier(messages));
  const t = useMessages("talk");
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState<string | null>(null);
  const words = useSettled(typed.trim(), TYPING_MS);
  const found = holding(messages, words);
  // The newest at first; then the one that the reader has come to, whatever is said below it meanwhile.
  const current = at !== null && found.includes(at) ? at : (found.at(-1) ?? null);
  const place = current === null ? 0 : found.length - 1 - found.indexOf(current);

  useEffect(() => {
    onWords(words);
    setAt(null);
  }, [words, onWords]);
  useEffect(() => () => onWords(""), [onWords]);
  useEffect(() => {
    void onReadAll().then(() => setReading(false));
  }, [onReadAll]);
  useEffect(() => {
    if (!current) return;
    setAt(current);
    onJump(current);
  }, [current, onJump]);

  const step = (by: 1 | -1) => {
    if (found.length === 0) return;
    const next = (place + by + found.length) % found.length;
    setAt(found[found.length - 1 - next] ?? null);
    // The only one there is: led to again.
    if (next === place && current) onJump(current);
  };
  return (
    <search className="find">
      <form
        className="find-in"
        onSubmit={(event) => {
          event.preventDefault();
          step(1);
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape") onClose();
          else if (event.key === "ArrowUp" || (event.key === "Enter" && !event.shiftKey)) step(1);
          else if (event.key === "ArrowDown" || event.key === "Enter") step(-1);
          else return;
          event.preventDefault();
        }}
      >
        <Search className="icon s" />
        <input
          // The reader asked for it.
          // biome-ignore lint/a11y/noAutofocus: it opens to be typed into.
          autoFocus
          type="text"
          enterKeyHint="search"
          aria-label={t("find")}
          placeholder={t("find")}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <span className="num" role="status">
          {words === ""
            ? ""
            : found.length === 0
              ? reading
                ? t("looking")
                : t("nobody")
              : t("match", { place: place + 1, total: found.length })}
        </span>
      </form>
      <IconButton small label={t("earlierMatch")} disabled={found.length === 0} onClick={() => step(1)}>
        <ChevronUp className="icon s" />
      </IconButton>
      <IconButton small label={t("laterMatch")} disabled={found.length === 0} onClick={() => step(-1)}>
        <ChevronDown className="icon s" />
      </IconButton>
      <IconButton small label={t("closeFind")} onClick={onClose}>
        <X className="icon s" />
      </IconButton>
    </search>
  );
}
