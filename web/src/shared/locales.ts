import type { Language } from "./store";

/** How each language of the app writes dates and numbers. */
export const LOCALES: Record<Language, string> = { en: "en-GB", fr: "fr-BE", nl: "nl-BE" };

/** A format for each language, made when one first asks for it. */
export function inLanguages<F>(make: (locale: string) => F): (language: Language) => F {
  const made = new Map<Language, F>();
  return (language) => {
    const format = made.get(language) ?? make(LOCALES[language]);
    made.set(language, format);
    return format;
  };
}
