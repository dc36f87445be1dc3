import { create } from "zustand";

interface InstallQuestion {
  open: boolean;
  show: () => void;
  hide: () => void;
}

/** Whether the Install modal is open: the home page and the footer's Download open it, the frame holds it. */
export const useInstall = create<InstallQuestion>((set) => ({
  open: false,
  show: () => set({ open: true }),
  hide: () => set({ open: false }),
}));
