import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Message } from "@/shared/api/types";
import { hasEarlier } from "./conversation";

/** This close to the end still counts as reading along, px. */
const AT_END_PX = 80;
/** Chats longer than this keep only what is near the window in the page. */
const LONG_CHAT_MESSAGES = 60;
/** Messages kept ready above and below the window. */
const OVERSCAN = 6;
/** How a message's height is guessed before it is seen: what is around the text, a line of it, and what fits in one. */
const AROUND_PX = 96;
const LINE_PX = 28;
const LINE_CHARS = 72;
/** Frames in which a message that is led to must have come into the page. */
const SEEK_FRAMES = 30;

const guess = ({ content }: Message) => AROUND_PX + LINE_PX * Math.ceil(content.length / LINE_CHARS);

/** Which message holds an element of the page. */
const messageAt = (element: Element | null) =>
  element?.closest<HTMLElement>("[data-message]")?.dataset.message ?? null;

/**
 * The list of a chat: follows the end of the text while the reader is there, leaves them where they are when they
 * have scrolled up, and keeps of a long chat only what is near the window.
 */
export function useFollow(
  messages: readonly Message[],
  keyOf: (message: Message) => string,
  kept: string | null,
) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  const [away, setAway] = useState(false);
  // A chat that has grown long stays so: the page does not change its ways back and forth.
  const isLong = messages.length > LONG_CHAT_MESSAGES || hasEarlier(messages);
  const [long, setLong] = useState(isLong);
  if (!long && isLong) setLong(true);

  const virtual = useVirtualizer({
    count: messages.length,
    enabled: long,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => {
      const message = messages[index];
      return message ? keyOf(message) : index;
    },
    estimateSize: (index) => {
      const message = messages[index];
      return message ? guess(message) : AROUND_PX;
    },
    overscan: OVERSCAN,
    anchorTo: "end",
    scrollEndThreshold: AT_END_PX,
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) => {
      const from = Math.max(0, startIndex - overscan);
      const to = Math.min(count - 1, endIndex + overscan);
      const range = Array.from({ length: to - from + 1 }, (_, at) => from + at);
      // What has the keyboard, or is being changed, is not taken out of the page under the reader's hand.
      const held = [kept, messageAt(document.activeElement)]
        .map((id) => (id === null ? -1 : messages.findIndex((m) => m._id === id)))
        .filter((index) => index >= 0 && (index < from || index > to));
      return [...new Set([...held, ...range])].toSorted((a, b) => a - b);
    },
  });

  const toEnd = useCallback(() => {
    const box = scroller.current;
    if (box) box.scrollTop = box.scrollHeight;
    following.current = true;
    setAway(false);
  }, []);

  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box || !content.current) return;
    toEnd();
    const grown = new ResizeObserver(() => {
      if (following.current) box.scrollTop = box.scrollHeight;
    });
    grown.observe(content.current);
    grown.observe(box);
    let before = box.scrollTop;
    const scrolled = () => {
      const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < AT_END_PX;
      // Text that grows faster than the page follows is no reader who has scrolled up.
      following.current = atEnd || (following.current && box.scrollTop >= before);
      before = box.scrollTop;
      setAway(!following.current);
    };
    box.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      grown.disconnect();
      box.removeEventListener("scroll", scrolled);
    };
  }, [toEnd]);

  const now = useRef({ messages, long });
  now.current = { messages, long };
  const seeking = useRef(0);
  useEffect(() => () => cancelAnimationFrame(seeking.current), []);

  /** Brings a message to the middle, and leaves the reader there; `focus`: and the keyboard. */
  const toMessage = useCallback(
    (id: string, focus: boolean) => {
      const index = now.current.messages.findIndex((message) => message._id === id);
      if (index < 0) return;
      following.current = false;
      setAway(true);
      if (now.current.long) virtual.scrollToIndex(index, { align: "center" });
      let frames = 0;
      const seek = () => {
        const turns = content.current?.querySelectorAll<HTMLElement>("[data-message]") ?? [];
        const turn = [...turns].find((element) => element.dataset.message === id);
        if (!turn) {
          if (frames++ < SEEK_FRAMES) seeking.current = requestAnimationFrame(seek);
          return;
        }
        const box = scroller.current;
        if (!now.current.long && box) {
          // Only the list moves: `scrollIntoView` would shift the room around it as well.
          const { top, height } = turn.getBoundingClientRect();
          const frame = box.getBoundingClientRect();
          box.scrollTop += top + height / 2 - (frame.top + frame.height / 2);
        }
        if (!focus) return;
        if (!turn.hasAttribute("tabindex")) turn.tabIndex = -1;
        turn.focus({ preventScroll: true });
      };
      cancelAnimationFrame(seeking.current);
      seek();
    },
    [virtual],
  );

  return { scroller, content, away, toEnd, toMessage, virtual: long ? virtual : null };
}
