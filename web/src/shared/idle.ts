/** Runs something once the page has loaded and nothing more urgent is to be done: it is not in the way of the first view. */
export function whenIdle(run: () => void): void {
  const idle = () => (globalThis.requestIdleCallback ?? setTimeout)(run);
  if (document.readyState === "complete") idle();
  else globalThis.addEventListener("load", idle, { once: true });
}
