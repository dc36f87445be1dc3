import type { Hint } from "./api/types";

type HintListener = (hint: Hint) => void;
const listeners = new Set<HintListener>();

/** Hears every hint that `GET events` brings while the reader is logged in. */
export function onHint(listener: HintListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Told when the stream is there for the first time: what was fetched before may have changed without a hint. */
export const OPENED: Hint = { type: "opened", id: "" };

/** Told when the stream is back after a break: hints may have been missed. */
export const RECONNECTED: Hint = { type: "reconnected", id: "" };

/** Tells everybody who listens. */
export function emit(hint: Hint): void {
  for (const listener of listeners) listener(hint);
}
