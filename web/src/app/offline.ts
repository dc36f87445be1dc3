import { whenIdle } from "@/shared/idle";

/** A browser that refuses, at once or later, as in private windows, goes on without. */
async function register(): Promise<void> {
  try {
    await navigator.serviceWorker.register("/sw.js");
  } catch {
    // The app is there as long as the network is.
  }
}

/** Lets the service worker keep the app, once the page stands: it is never in the way of the first view. */
export function keepOffline(): void {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  const frugal = "connection" in navigator && (navigator.connection as { saveData?: boolean }).saveData;
  if (frugal) return;
  whenIdle(() => void register());
}
