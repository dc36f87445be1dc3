import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** This close to the end still counts as reading along, px. */
const AT_END_PX = 80;

/** Follows the end of the text while the reader is there, and leaves them alone when they have scrolled up. */
export function useFollow() {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  const [away, setAway] = useState(false);

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
    const scrolled = () => {
      following.current = box.scrollHeight - box.scrollTop - box.clientHeight < AT_END_PX;
      setAway(!following.current);
    };
    box.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      grown.disconnect();
      box.removeEventListener("scroll", scrolled);
    };
  }, [toEnd]);

  /** Brings a message to the middle, and leaves the reader there. */
  const toMessage = useCallback((id: string) => {
    const turns = content.current?.querySelectorAll<HTMLElement>("[data-message]") ?? [];
    const turn = [...turns].find((element) => element.dataset.message === id);
    if (!turn) return;
    following.current = false;
    setAway(true);
    turn.scrollIntoView({ block: "center" });
    if (!turn.hasAttribute("tabindex")) turn.tabIndex = -1;
    turn.focus({ preventScroll: true });
  }, []);

  return { scroller, content, away, toEnd, toMessage };
}

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
