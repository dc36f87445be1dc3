import type { Language } from "./store";

/** Cuts at a number of characters, at a word's end where one is near, and says so with an ellipsis. */
export function cut(text: string, max: number): string {
  const letters = Array.from(text.trim());
  if (letters.length <= max) return text.trim();
  const head = letters.slice(0, max - 1).join("");
  const space = letters[max - 1] === " " ? head.length : head.lastIndexOf(" ");
  return `${(space > max * 0.7 ? head.slice(0, space) : head).replace(/[\s.,;:!?–-]+$/, "")}…`;
}

/** How each language of the app writes dates and numbers. */
const LOCALES: Record<Language, string> = { en: "en-GB", fr: "fr-BE", nl: "nl-BE" };

/** A format for each language, made when one first asks for it. */
export function inLanguages<F>(make: (locale: string) => F): (language: Language) => F {
  const made = new Map<Language, F>();
  return (language) => {
    const format = made.get(language) ?? make(LOCALES[language]);
    made.set(language, format);
    return format;
  };
}

const withTenth = inLanguages(
  (locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 1, useGrouping: false }),
);

/** 999 → `999`, 12 840 → `12.8k`, in French `12,8k`, 1 000 000 → `1M`. Never more than there are. */
export function shortCount(count: number, language: Language = "en"): string {
  const shorten = (value: number, unit: string) => {
    const shown = value < 100 ? Math.floor(value * 10) / 10 : Math.floor(value);
    return `${withTenth(language).format(shown)}${unit}`;
  };
  if (count >= 1_000_000) return shorten(count / 1_000_000, "M");
  if (count >= 1000) return shorten(count / 1000, "k");
  return count.toString();
}

const longDate = inLanguages(
  (locale) => new Intl.DateTimeFormat(locale, { day: "numeric", month: "long", year: "numeric" }),
);

/** A day without an hour: it is that day everywhere, where a date alone would be read as its midnight in Greenwich. */
const DAY = /^\d{4}-\d\d-\d\d$/;

/** `14 March 2026`, `14 mars 2026`. */
export function dayOf(time: string | Date, language: Language = "en"): string {
  const date = typeof time === "string" ? new Date(DAY.test(time) ? `${time}T00:00` : time) : time;
  return longDate(language).format(date);
}

const shortMoment = inLanguages(
  (locale) =>
    new Intl.DateTimeFormat(locale, {
      day: "numeric",
      month: "short",
      year: "numeric",
      hour: "2-digit",
      minute: "2-digit",
    }),
);

/** `14 Mar 2026, 10:05`, in the reader's time zone. */
export function momentOf(time: string, language: Language = "en"): string {
  return shortMoment(language).format(new Date(time));
}

const withSign = new Intl.NumberFormat("en-GB", { signDisplay: "exceptZero" });

/** `+400`, `−10`, `0`. */
export function signed(change: number): string {
  return withSign.format(change).replace("-", "−");
}

/** `5,000`. */
export function count(value: number, language: Language = "en"): string {
  return value.toLocaleString(LOCALES[language]);
}

const relative = inLanguages((locale) => new Intl.RelativeTimeFormat(locale, { numeric: "auto" }));
const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 24 * 3600],
  ["month", 30 * 24 * 3600],
  ["week", 7 * 24 * 3600],
  ["day", 24 * 3600],
  ["hour", 3600],
  ["minute", 60],
];

/** `3 days ago`, `yesterday`, `now`. `now` in ms. */
export function ago(time: string, now = Date.now(), language: Language = "en"): string {
  const format = relative(language);
  const seconds = (now - new Date(time).getTime()) / 1000;
  for (const [unit, length] of STEPS) {
    if (seconds >= length) return format.format(-Math.floor(seconds / length), unit);
  }
  return format.format(0, "second");
}

function currencies(currency: string, language: Language, minimumFractionDigits: number) {
  // Prices are in dollars, which English of the United States writes as everyone knows them.
  const locale = language === "en" ? "en-US" : LOCALES[language];
  return new Intl.NumberFormat(locale, { style: "currency", currency, minimumFractionDigits });
}

/** `$22.50`, in French `22,50 $US`; whole amounts without cents. */
export const money = (cents: number, currency: string, language: Language = "en"): string =>
  currencies(currency, language, cents % 100 === 0 ? 0 : 2).format(cents / 100);

/** The same with cents in any case, as in a column of amounts. */
export const amount = (cents: number, currency: string, language: Language = "en"): string =>
  currencies(currency, language, 2).format(cents / 100);

/** `4.7`; null while nobody has reviewed. */
export function rating(average: number | null, reviews: number): string | null {
  return average === null || reviews === 0 ? null : average.toFixed(1);
}
