import { create } from "zustand";

/** What a browser hands over that can install the app itself (not in the DOM's types yet). */
interface InstallPrompt extends Event {
  prompt: () => Promise<{ outcome: "accepted" | "dismissed" }>;
}

interface InstallQuestion {
  open: boolean;
  /** The browser's own question, while it offers one. */
  offer: InstallPrompt | null;
  show: () => void;
  hide: () => void;
  /** Asks it. Resolves to whether the app is installed now. */
  install: () => Promise<boolean>;
}

/** Whether the Install modal is open: the home page and the footer's Download open it, the frame holds it. */
export const useInstall = create<InstallQuestion>((set, get) => ({
  open: false,
  offer: null,
  show: () => set({ open: true }),
  hide: () => set({ open: false }),
  install: async () => {
    const { offer } = get();
    // A question can be asked once; the browser makes another when it sees fit.
    set({ offer: null });
    const answer = await offer?.prompt().catch(() => undefined);
    return answer?.outcome === "accepted";
  },
}));

/** It comes early, and only once: heard from the first moment, kept until somebody wants it. */
globalThis.addEventListener?.("beforeinstallprompt", (event) => {
  event.preventDefault();
  useInstall.setState({ offer: event as InstallPrompt });
});
globalThis.addEventListener?.("appinstalled", () => useInstall.setState({ offer: null, open: false }));

/** It runs from the home screen already. */
export const isInstalled = () =>
  globalThis.matchMedia("(display-mode: standalone)").matches ||
  ("standalone" in navigator && navigator.standalone === true);
