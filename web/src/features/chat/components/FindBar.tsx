import { ChevronDown, ChevronUp, Search, X } from "lucide-react";
import { useEffect, useState } from "react";
import type { Message } from "@/shared/api/types";
import { IconButton } from "@/shared/ui";
import { holding } from "../find";
import { useSettled } from "../useSettled";

/** A search begins once nothing was typed for this long, ms. */
const TYPING_MS = 200;

interface FindBarProps {
  messages: readonly Message[];
  /** Words to be marked. */
  onWords: (words: string) => void;
  /** Leads to a message; the keyboard stays in the field. */
  onJump: (messageId: string) => void;
  onClose: () => void;
}

/** Looks for words in this chat: one message after the other, from the newest. */
export function FindBar({ messages, onWords, onJump, onClose }: FindBarProps) {
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const words = useSettled(typed.trim(), TYPING_MS);
  const found = holding(messages, words);
  const place = Math.min(at, Math.max(0, found.length - 1));
  const current = found[found.length - 1 - place];

  useEffect(() => {
    onWords(words);
    setAt(0);
  }, [words, onWords]);
  useEffect(() => () => onWords(""), [onWords]);
  useEffect(() => {
    if (current) onJump(current);
  }, [current, onJump]);

  const step = (by: 1 | -1) => {
    if (found.length === 0) return;
    const next = (place + by + found.length) % found.length;
    setAt(next);
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
          aria-label="Find in this chat"
          placeholder="Find in this chat"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <span className="num" role="status">
          {words === ""
            ? ""
            : found.length === 0
              ? "Nobody said that"
              : `${(place + 1).toLocaleString("en-GB")} of ${found.length.toLocaleString("en-GB")}`}
        </span>
      </form>
      <IconButton small label="Earlier match" disabled={found.length === 0} onClick={() => step(1)}>
        <ChevronUp className="icon s" />
      </IconButton>
      <IconButton small label="Later match" disabled={found.length === 0} onClick={() => step(-1)}>
        <ChevronDown className="icon s" />
      </IconButton>
      <IconButton small label="Close the search" onClick={onClose}>
        <X className="icon s" />
      </IconButton>
    </search>
  );
}
