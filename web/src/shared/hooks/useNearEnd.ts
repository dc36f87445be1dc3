import { type RefCallback, useCallback, useEffect, useRef } from "react";

/** How far below the view the end may be when the next page is asked for. */
const MARGIN = "600px";

/** Put the ref on an element at the end of a list; `onNear` runs each time it comes near the view. */
export function useNearEnd(onNear: () => void, enabled: boolean, margin = MARGIN): RefCallback<HTMLElement> {
  const latest = useRef(onNear);
  useEffect(() => {
    latest.current = onNear;
  });
  return useCallback(
    (element: HTMLElement | null) => {
      if (!element || !enabled) return;
      const observer = new IntersectionObserver(
        (entries) => {
          if (entries.some((entry) => entry.isIntersecting)) latest.current();
        },
        { rootMargin: `0px 0px ${margin}` },
      );
      observer.observe(element);
      return () => observer.disconnect();
    },
    [enabled, margin],
  );
}
