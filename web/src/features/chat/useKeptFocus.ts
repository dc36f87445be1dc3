import { type RefObject, useEffect, useRef } from "react";

/** The keyboard stays in the talk when what had the focus is gone: a deleted message, a closed field. */
export function useKeptFocus(scroller: RefObject<HTMLElement | null>, shown: string) {
  const had = useRef(false);
  useEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const came = () => {
      had.current = true;
    };
    const went = (event: FocusEvent) => {
      // With no next place, what had the focus may have gone.
      had.current = event.relatedTarget === null;
    };
    box.addEventListener("focusin", came);
    box.addEventListener("focusout", went);
    return () => {
      box.removeEventListener("focusin", came);
      box.removeEventListener("focusout", went);
    };
  }, [scroller]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is shown has changed.
  useEffect(() => {
    if (had.current && document.activeElement === document.body) {
      scroller.current?.focus({ preventScroll: true });
    }
  }, [scroller, shown]);
}
