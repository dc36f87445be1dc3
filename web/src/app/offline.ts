/** Lets the service worker keep the app, once the page stands: it is never in the way of the first view. */
export function keepOffline(): void {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  const frugal = "connection" in navigator && (navigator.connection as { saveData?: boolean }).saveData;
  if (frugal) return;
  const register = () => {
    // A browser that refuses, as in private windows, goes on without.
    navigator.serviceWorker.register("/sw.js").catch(() => undefined);
  };
  const idle = () => (globalThis.requestIdleCallback ?? setTimeout)(register);
  if (document.readyState === "complete") idle();
  else globalThis.addEventListener("load", idle, { once: true });
}
