import type { Language } from "./store";

/** How each language of the app writes dates and numbers. */
export const LOCALES: Record<Language, string> = { en: "en-GB", fr: "fr-BE", nl: "nl-BE" };

/** What stands before the tenths of a number. */
export const DECIMAL: Record<Language, string> = { en: ".", fr: ",", nl: "," };

/**
 * A number as a language writes it. Whole ones below a thousand are written alike in all of them, and need no format: the
 * first that a page makes keeps its thread for 20 to 45 ms, and four times as long on a phone.
 */
export function written(value: number, ...format: Parameters<number["toLocaleString"]>): string {
  const alike = !format[1] && Number.isInteger(value) && value >= 0 && value < 1000;
  return alike ? `${value}` : value.toLocaleString(...format);
}

/** A format for each language, made when one first asks for it. */
export function inLanguages<F>(make: (locale: string) => F): (language: Language) => F {
  const made = new Map<Language, F>();
  return (language) => {
    const format = made.get(language) ?? make(LOCALES[language]);
    made.set(language, format);
    return format;
  };
}
