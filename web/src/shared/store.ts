import { create } from "zustand";
import { persist } from "zustand/middleware";
import type { CreatorRef, User } from "./api/types";

/** Creators remembered so that their page can open with a name and a face at once. */
const REMEMBERED_CREATORS = 24;

export interface RootState {
  userData: User | null;
  /** Creators seen lately, newest first. */
  creators: CreatorRef[];
  rememberMe: { enabled: boolean; email: string };
  loggedIn: boolean;
  /** NSFW is shown: the reader asked for it and confirmed their age. */
  nsfw: boolean;
}

interface RootActions {
  setUser: (user: User) => void;
  setNsfw: (nsfw: boolean) => void;
  setRememberMe: (enabled: boolean, email: string) => void;
  rememberCreator: (creator: CreatorRef) => void;
  enter: (user: User) => void;
  leave: () => void;
}

export const initialState: RootState = {
  userData: null,
  creators: [],
  rememberMe: { enabled: false, email: "" },
  loggedIn: false,
  nsfw: false,
};

/** What the browser alone knows. One store, kept in localStorage under `root`; server data lives in the query cache. */
export const useRoot = create<RootState & RootActions>()(
  persist(
    (set) => ({
      ...initialState,
      setUser: (userData) => set({ userData }),
      setNsfw: (nsfw) => set({ nsfw }),
      setRememberMe: (enabled, email) => set({ rememberMe: { enabled, email: enabled ? email : "" } }),
      rememberCreator: (creator) =>
        set((state) => ({
          creators: [creator, ...state.creators.filter((c) => c._id !== creator._id)].slice(
            0,
            REMEMBERED_CREATORS,
          ),
        })),
      enter: (userData) => set({ userData, loggedIn: true }),
      leave: () => set({ userData: null, loggedIn: false, nsfw: false }),
    }),
    {
      name: "root",
      version: 1,
      partialize: ({ userData, creators, rememberMe, loggedIn, nsfw }) => ({
        userData,
        creators,
        rememberMe,
        loggedIn,
        nsfw,
      }),
    },
  ),
);

export const useUser = () => useRoot((state) => state.userData);
export const useLoggedIn = () => useRoot((state) => state.loggedIn);
