const FIRST_PAINT = "first-contentful-paint";

/** Runs something once the page has been seen; at once where the browser does not tell (Paint Timing, W3C). */
function whenPainted(run: () => void): void {
  const told = globalThis.PerformanceObserver?.supportedEntryTypes?.includes("paint");
  if (!told || performance.getEntriesByName(FIRST_PAINT).length > 0) {
    run();
    return;
  }
  new PerformanceObserver((list, observer) => {
    if (list.getEntriesByName(FIRST_PAINT).length === 0) return;
    observer.disconnect();
    run();
  }).observe({ type: "paint", buffered: true });
}

/**
 * Runs something once the page has loaded and was seen, and nothing more urgent is to be done: it is not in the way of the
 * first view. With its files named in the head a page may have loaded before anything of it is shown.
 */
export function whenIdle(run: () => void): void {
  const idle = () => whenPainted(() => (globalThis.requestIdleCallback ?? setTimeout)(run));
  if (document.readyState === "complete") idle();
  else globalThis.addEventListener("load", idle, { once: true });
}
