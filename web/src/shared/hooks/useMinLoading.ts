import { startTransition, useEffect, useRef, useState } from "react";

/**
 * Keeps a skeleton that is already on the page for at least `ms`, so that it does not flash.
 * Data that is there from the start is never held back.
 */
export function useMinLoading(loading: boolean, ms: number): boolean {
  const [held, setHeld] = useState(loading);
  const since = useRef<number | null>(null);

  useEffect(() => {
    if (loading) {
      since.current ??= performance.now();
      setHeld(true);
      return;
    }
    if (since.current === null) return;
    const rest = Math.max(0, ms - (performance.now() - since.current));
    since.current = null;
    // A page of cards is drawn at once then: as a transition it makes way for a tap.
    const timer = setTimeout(() => startTransition(() => setHeld(false)), rest);
    return () => clearTimeout(timer);
  }, [loading, ms]);

  return loading || held;
}
