import { useMemo } from "react";
import { ago, count, dayOf } from "@/shared/format";
import { useSpoken } from "@/shared/i18n";
import { inLanguages } from "@/shared/locales";

const clock = inLanguages(
  (locale) => new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" }),
);
const weekday = inLanguages(
  (locale) => new Intl.DateTimeFormat(locale, { weekday: "long", day: "numeric", month: "long" }),
);

/** Times and numbers as the reader's language writes them. */
export function useTimes() {
  const language = useSpoken((spoken) => spoken.language);
  return useMemo(
    () => ({
      /** `3 days ago`. */
      ago: (time: string) => ago(time, undefined, language),
      /** `14 March 2026`. */
      dayOf: (time: string) => dayOf(time, language),
      /** `10:05`. */
      clock: (time: string) => clock(language).format(new Date(time)),
      /** `Saturday, 14 March`. */
      weekday: (time: string) => weekday(language).format(new Date(time)),
      /** `5,000`. */
      count: (value: number) => count(value, language),
    }),
    [language],
  );
}
