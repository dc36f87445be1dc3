import { whenIdle } from "@/shared/idle";

/** Lets the service worker keep the app, once the page stands: it is never in the way of the first view. */
export function keepOffline(): void {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  const frugal = "connection" in navigator && (navigator.connection as { saveData?: boolean }).saveData;
  if (frugal) return;
  // A browser that refuses, as in private windows, goes on without.
  whenIdle(() => void navigator.serviceWorker.register("/sw.js").catch(() => undefined));
}
