import { useSyncExternalStore } from "react";

const QUERY = "(prefers-reduced-motion: reduce)";

function subscribe(changed: () => void): () => void {
  const media = globalThis.matchMedia(QUERY);
  media.addEventListener("change", changed);
  return () => media.removeEventListener("change", changed);
}

/** Whether the reader asked for less motion: no typing effects, no carousel that moves by itself. */
export function useReducedMotion(): boolean {
  return useSyncExternalStore(subscribe, () => globalThis.matchMedia(QUERY).matches);
}
