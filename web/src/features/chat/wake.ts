/** Looked away for longer than this, a stream may have died without a word, ms. */
const ASLEEP_MS = 5000;

/**
 * Calls when the reader or the network comes back. `slept`: for so long, or from so far, that an open stream is not to
 * be trusted any more.
 */
export function onWake(listener: (slept: boolean) => void): () => void {
  let left = Number.POSITIVE_INFINITY;
  const seen = () => {
    if (document.visibilityState === "hidden") {
      left = Date.now();
      return;
    }
    listener(Date.now() - left > ASLEEP_MS);
    left = Number.POSITIVE_INFINITY;
  };
  const focused = () => listener(false);
  const online = () => listener(true);
  document.addEventListener("visibilitychange", seen);
  globalThis.addEventListener("focus", focused);
  globalThis.addEventListener("online", online);
  return () => {
    document.removeEventListener("visibilitychange", seen);
    globalThis.removeEventListener("focus", focused);
    globalThis.removeEventListener("online", online);
  };
}

/** Waits so long, or until the network comes back; while there is none, only for that. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = navigator.onLine ? setTimeout(end, ms) : undefined;
    function end() {
      clearTimeout(timer);
      globalThis.removeEventListener("online", end);
      signal.removeEventListener("abort", end);
      resolve();
    }
    globalThis.addEventListener("online", end);
    signal.addEventListener("abort", end);
  });
}
