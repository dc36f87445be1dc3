import { inLanguages, LOCALES, written } from "./locales";
import type { Language } from "./store";

const longDate = inLanguages(
  (locale) => new Intl.DateTimeFormat(locale, { day: "numeric", month: "long", year: "numeric" }),
);

// English writes its days without a format: the first that a page makes keeps its thread for 20 to 60 ms, and four times as
// long on a phone.
const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);

/** A day without an hour: it is that day everywhere, where a date alone would be read as its midnight in Greenwich. */
const DAY = /^\d{4}-\d\d-\d\d$/;

/** `14 March 2026`, `14 mars 2026`. */
export function dayOf(time: string | Date, language: Language = "en"): string {
  const date = typeof time === "string" ? new Date(DAY.test(time) ? `${time}T00:00` : time) : time;
  if (language !== "en") return longDate(language).format(date);
  return `${date.getDate()} ${MONTHS[date.getMonth()]} ${date.getFullYear()}`;
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

const withSign = inLanguages((locale) => new Intl.NumberFormat(locale, { signDisplay: "exceptZero" }));

/** `+400`, `−10`, `0`. */
export function signed(change: number): string {
  return withSign("en").format(change).replace("-", "−");
}

/** `5,000`. */
export function count(value: number, language: Language = "en"): string {
  return written(value, LOCALES[language]);
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

/** What English calls the one before this. */
const LAST: Partial<Record<Intl.RelativeTimeFormatUnit, string>> = {
  year: "last year",
  month: "last month",
  week: "last week",
  day: "yesterday",
};

function since(count: number, unit: Intl.RelativeTimeFormatUnit, language: Language): string {
  if (language !== "en") return relative(language).format(-count, unit);
  if (count === 0) return "now";
  return (count === 1 && LAST[unit]) || `${count} ${unit}${count === 1 ? "" : "s"} ago`;
}

/** `3 days ago`, `yesterday`, `now`. `now` in ms. */
export function ago(time: string, now = Date.now(), language: Language = "en"): string {
  const seconds = (now - new Date(time).getTime()) / 1000;
  for (const [unit, length] of STEPS) {
    if (seconds >= length) return since(Math.floor(seconds / length), unit, language);
  }
  return since(0, "second", language);
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
