import { create } from "zustand";
import { savePreferences, sayNotSaved } from "./session";

interface AgeQuestion {
  asking: boolean;
  ask: () => void;
  close: () => void;
}

/** Whether the age question is on the page. One dialog, mounted in the frame, serves every asker. */
export const useAgeQuestion = create<AgeQuestion>((set) => ({
  asking: false,
  ask: () => set({ asking: true }),
  close: () => set({ asking: false }),
}));

/** 'I'm over 18': NSFW goes on, everywhere. */
export async function confirmAge(): Promise<void> {
  useAgeQuestion.getState().close();
  await savePreferences({ ageConfirmed: true, nsfw: true }).catch(sayNotSaved);
}

/** Off needs no question. */
export async function turnNsfwOff(): Promise<void> {
  await savePreferences({ nsfw: false }).catch(sayNotSaved);
}
