import { type TouchEvent, useRef } from "react";

/** A finger has to go this far, px, and mostly sideways. */
const SWIPE_PX = 60;

/** A swipe of a finger to the left (on) or to the right (back). */
export function useSwipe(onSwipe: ((step: 1 | -1) => void) | null) {
  const from = useRef<{ x: number; y: number }>(null);
  if (!onSwipe) return {};
  return {
    onTouchStart: ({ touches }: TouchEvent) => {
      const touch = touches[0];
      // Two fingers zoom.
      from.current = touch && touches.length === 1 ? { x: touch.clientX, y: touch.clientY } : null;
    },
    onTouchEnd: ({ changedTouches }: TouchEvent) => {
      const touch = changedTouches[0];
      const start = from.current;
      from.current = null;
      if (!touch || !start) return;
      const across = touch.clientX - start.x;
      if (Math.abs(across) < SWIPE_PX || Math.abs(across) < 2 * Math.abs(touch.clientY - start.y)) return;
      // A finger that selects words does not turn pages.
      if (globalThis.getSelection()?.toString()) return;
      onSwipe(across < 0 ? 1 : -1);
    },
  };
}
