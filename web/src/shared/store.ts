import { create } from "zustand";
import { type PersistStorage, persist } from "zustand/middleware";
import type { CreatorRef, User } from "./api/types";
import { browserKept } from "./storage";

/** Creators remembered so that their page can open with a name and a face at once. */
const REMEMBERED_CREATORS = 24;
/** Chats of which is remembered that their notice was read. */
const REMEMBERED_NOTICES = 200;

/** Languages that the app speaks. */
export type Language = "en" | "fr" | "nl";

export interface RootState {
  /** Null leaves it to the browser. */
  language: Language | null;
  userData: User | null;
  /** Creators seen lately, newest first. */
  creators: CreatorRef[];
  rememberMe: { enabled: boolean; email: string };
  loggedIn: boolean;
  /** NSFW is shown: the reader asked for it and confirmed their age. */
  nsfw: boolean;
  /** Chats in which the reader has taken note that an AI speaks, newest first. */
  noticed: string[];
}

interface RootActions {
  setLanguage: (language: Language) => void;
  setUser: (user: User) => void;
  setNsfw: (nsfw: boolean) => void;
  setRememberMe: (enabled: boolean, email: string) => void;
  rememberCreator: (creator: CreatorRef) => void;
  notice: (chatId: string) => void;
  enter: (user: User) => void;
  leave: () => void;
}

export const initialState: RootState = {
  language: null,
  userData: null,
  creators: [],
  rememberMe: { enabled: false, email: "" },
  loggedIn: false,
  nsfw: false,
  noticed: [],
};

const storage: PersistStorage<RootState> = {
  getItem: (name) => {
    try {
      return JSON.parse(browserKept.getItem(name) ?? "null");
    } catch {
      // Not written by us: the store begins as for a first visit.
      return null;
    }
  },
  setItem: (name, value) => void browserKept.setItem(name, JSON.stringify(value)),
  removeItem: browserKept.removeItem,
};

/** What the browser alone knows. One store, kept in localStorage under `root`; server data lives in the query cache. */
export const useRoot = create<RootState & RootActions>()(
  persist(
    (set) => ({
      ...initialState,
      setLanguage: (language) => set({ language }),
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
      notice: (chatId) =>
        set((state) => ({
          noticed: [chatId, ...state.noticed.filter((id) => id !== chatId)].slice(0, REMEMBERED_NOTICES),
        })),
      enter: (userData) => set({ userData, loggedIn: true }),
      leave: () => set({ userData: null, loggedIn: false, nsfw: false, creators: [], noticed: [] }),
    }),
    {
      name: "root",
      version: 1,
      storage,
      partialize: ({ language, userData, creators, rememberMe, loggedIn, nsfw, noticed }) => ({
        language,
        userData,
        creators,
        rememberMe,
        loggedIn,
        nsfw,
        noticed,
      }),
    },
  ),
);

export const useUser = () => useRoot((state) => state.userData);
export const useLoggedIn = () => useRoot((state) => state.loggedIn);
