import { type RefObject, useEffect, useRef } from "react";

/**
 * The keyboard stays in a list when what had the focus is gone from it: a deleted message, a device that was signed out.
 * The box takes it (`tabIndex={-1}`); `shown` tells when what is in it has changed.
 */
export function useKeptFocus(box: RefObject<HTMLElement | null>, shown: string) {
  const had = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the box may come with what it shows.
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const came = () => {
      had.current = true;
    };
    const went = (event: FocusEvent) => {
      // With no next place, what had the focus may have gone.
      had.current = event.relatedTarget === null;
    };
    element.addEventListener("focusin", came);
    element.addEventListener("focusout", went);
    return () => {
      element.removeEventListener("focusin", came);
      element.removeEventListener("focusout", went);
    };
  }, [box, shown]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is shown has changed.
  useEffect(() => {
    if (had.current && document.activeElement === document.body) {
      box.current?.focus({ preventScroll: true });
    }
  }, [box, shown]);
}
