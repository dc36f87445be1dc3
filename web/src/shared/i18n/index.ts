import { useMemo } from "react";
import { createTranslator } from "use-intl/core";
import { create } from "zustand";
import { type Language, useRoot } from "../store";
import en from "./en.json";

export type Messages = typeof en;

/** Each language by the name that its readers know it by. */
export const LANGUAGES: Record<Language, string> = { en: "English", fr: "Français", nl: "Nederlands" };

const isLanguage = (code: string): code is Language => Object.hasOwn(LANGUAGES, code);

/** The messages of a language; all but English come when they are needed. */
const LOADERS: Record<Language, () => Promise<Messages>> = {
  en: () => Promise.resolve(en),
  fr: () => import("./fr.json").then((module) => module.default),
  nl: () => import("./nl.json").then((module) => module.default),
};

interface Spoken {
  language: Language;
  messages: Messages;
}

export const useSpoken = create<Spoken>(() => ({ language: "en", messages: en }));

/** What the reader chose, else the first of the browser's languages that we speak. */
export function preferred(wished: readonly string[] = navigator.languages): Language {
  const chosen = useRoot.getState().language;
  return chosen ?? wished.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? "en";
}

/** Puts the app into a language. Without its messages, as when offline, it stays in the one that it speaks. */
export async function speak(language: Language): Promise<void> {
  const messages = await LOADERS[language]().catch(() => null);
  if (!messages) return;
  useSpoken.setState({ language, messages });
  document.documentElement.lang = language;
}

/** The reader chooses, and is remembered. */
export function choose(language: Language): void {
  useRoot.getState().setLanguage(language);
  void speak(language);
}

const translator = <N extends keyof Messages>({ language, messages }: Spoken, namespace: N) =>
  createTranslator<Messages, N>({ locale: language, messages, namespace });

/** The messages of one part of the app, by typed keys. */
export function useMessages<N extends keyof Messages>(namespace: N) {
  const spoken = useSpoken();
  return useMemo(() => translator(spoken, namespace), [spoken, namespace]);
}

/** The same outside of a component, at the moment of asking. */
export const messages = <N extends keyof Messages>(namespace: N) =>
  translator(useSpoken.getState(), namespace);
