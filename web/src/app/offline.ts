import { whenIdle } from "@/shared/idle";

/** Nobody installs an app sooner, and the manifest and its icon would share the line with the page's pictures, ms. */
const INSTALLABLE_AFTER_MS = 3_000;

/** Names the manifest, by which browsers offer to install the app. */
function name(): void {
  const link = document.createElement("link");
  link.rel = "manifest";
  link.href = "/manifest.webmanifest";
  document.head.append(link);
}

/** A browser that refuses, at once or later, as in private windows, goes on without. */
async function register(): Promise<void> {
  try {
    await navigator.serviceWorker.register("/sw.js");
  } catch {
    // The app is there as long as the network is.
  }
}

/**
 * Lets the app be installed, and the service worker keep it, once the page stands: neither is in the way of the
 * first view.
 */
export function keepOffline(): void {
  whenIdle(() => setTimeout(name, INSTALLABLE_AFTER_MS));
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  const frugal = "connection" in navigator && (navigator.connection as { saveData?: boolean }).saveData;
  if (frugal) return;
  whenIdle(() => void register());
}
