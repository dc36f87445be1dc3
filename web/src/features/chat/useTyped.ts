import { useEffect, useRef, useState } from "react";
import { useReducedMotion } from "@/shared/hooks/useReducedMotion";
import { CHAT_TYPE_MS } from "@/shared/limits";

/** The shown text is never further behind a stream than about this, ms. */
const CATCH_UP_MS = 500;

/**
 * How many characters to show after `elapsed` ms more: one per 22 ms, and as many more as keep the backlog of a
 * stream from growing. Without `keepUp` the pace is the even one of a greeting.
 */
export function typedAfter(shown: number, total: number, elapsed: number, keepUp: boolean): number {
  const even = elapsed / CHAT_TYPE_MS;
  const needed = keepUp ? ((total - shown) * elapsed) / CATCH_UP_MS : 0;
  return Math.min(total, shown + Math.max(even, needed));
}

/** Never cut a letter in two: surrogate pairs and joined marks stay whole. */
const whole = (text: string, length: number) => {
  const end = Math.floor(length);
  const code = text.charCodeAt(end - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? end - 1 : end);
};

interface Typed {
  text: string;
  /** There is more to come than is shown. */
  typing: boolean;
}

/**
 * Types out `text`, which may still grow, from nothing when `active` at first sight, else shows it whole.
 * Another `id` is another text: it is seen for the first time.
 */
export function useTyped(text: string, active: boolean, keepUp: boolean, id?: string): Typed {
  const still = useReducedMotion();
  const [shown, setShown] = useState(active && !still ? 0 : text.length);
  const position = useRef(shown);
  /** When the last letter was shown, ms; null while nothing is typed. Pieces that arrive between two frames do not
   * set it back. */
  const typedAt = useRef<number>(null);
  const started = useRef(active);
  const [typedId, setTypedId] = useState(id);
  if (id !== typedId) {
    setTypedId(id);
    started.current = active;
    position.current = active && !still ? 0 : text.length;
    setShown(position.current);
  }
  if (active) started.current = true;

  useEffect(() => {
    if (still || !started.current) {
      position.current = text.length;
      typedAt.current = null;
      setShown(text.length);
      return;
    }
    if (position.current >= text.length) return;
    let frame = 0;
    typedAt.current ??= performance.now();
    const step = (now: number) => {
      const elapsed = Math.max(0, now - (typedAt.current ?? now));
      position.current = typedAfter(position.current, text.length, elapsed, keepUp);
      setShown(Math.floor(position.current));
      const more = position.current < text.length;
      typedAt.current = more ? now : null;
      if (more) frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [text, still, keepUp]);

  const length = Math.min(shown, text.length);
  return { text: length >= text.length ? text : whole(text, length), typing: length < text.length };
}
