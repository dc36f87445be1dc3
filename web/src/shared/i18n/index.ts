import { _createCache, _createIntlFormatters, createTranslator } from "use-intl/core";
import { create } from "zustand";
import { written } from "../locales";
import { type Language, useRoot } from "../store";
import en from "./en.json";

/** Each language by the name that its readers know it by. */
export const LANGUAGES: Record<Language, string> = { en: "English", fr: "Français", nl: "Nederlands" };

const isLanguage = (code: string): code is Language => Object.hasOwn(LANGUAGES, code);

/** Messages by their part of the app, then by key. */
type Parts = Record<string, Record<string, string>>;

type Other = Exclude<Language, "en">;

/** English comes with the code that says it; the other languages when they are needed, or none where it is English alone. */
type Sources<M extends Parts> = { en: M } & (
  | { [L in Other]: () => Promise<{ default: M }> }
  | { [L in Other]?: never }
);

interface Spoken<M extends Parts> {
  language: Language;
  messages: M;
}

/** Formats of one set for all translators, without one for numbers that need none. */
const _formatters = _createIntlFormatters(_createCache());
_formatters.getNumberFormat = (...format) =>
  ({ format: (value: number) => written(value, ...format) }) as Intl.NumberFormat;

/** One set of messages in the language spoken now. Without those of a language, as when offline, it keeps what it has. */
function book<M extends Parts>(sources: Sources<M>) {
  const useSpoken = create<Spoken<M>>(() => ({ language: "en", messages: sources.en }));

  // A page of cards asks for the same part a hundred times: one translator serves all.
  let made: { [N in keyof M]?: ReturnType<typeof createTranslator<M[N]>> } = {};
  let madeOf = useSpoken.getState();
  const translator = <N extends keyof M & string>(spoken: Spoken<M>, part: N) => {
    if (spoken !== madeOf) {
      made = {};
      madeOf = spoken;
    }
    const known = made[part];
    if (known) return known;
    const fresh = createTranslator<M[N]>({
      locale: spoken.language,
      messages: spoken.messages[part],
      _formatters,
    });
    made[part] = fresh;
    return fresh;
  };

  return {
    useSpoken,
    /** Fetches a language, and resolves to what puts it into use; null when it did not come. */
    fetch: async (language: Language): Promise<(() => void) | null> => {
      const messages =
        language === "en"
          ? sources.en
          : await sources[language]?.().then(
              (module) => module.default,
              () => null,
            );
      return messages ? () => useSpoken.setState({ language, messages }) : null;
    },
    /** The messages of one part of the app, by typed keys. */
    useMessages: <N extends keyof M & string>(part: N) => translator(useSpoken(), part),
    /** The same outside of a component, at the moment of asking. */
    messages: <N extends keyof M & string>(part: N) => translator(useSpoken.getState(), part),
  };
}

/** What every page needs: it is there before the first one. */
const frame = book({ en, fr: () => import("./fr.json"), nl: () => import("./nl.json") });
export const { useMessages, messages, useSpoken } = frame;

/** The books of the features whose code has come. */
const books: { fetch: (language: Language) => Promise<(() => void) | null> }[] = [];
let arriving: Promise<unknown> = Promise.resolve();

/**
 * The messages of a feature, which come with its route and in the reader's language:
 * `features/<name>/i18n/index.ts` exports `useMessages` and `messages` of `feature({ en, fr: () => import("./fr.json"), … })`,
 * beside the files `en.json`, `fr.json` and `nl.json` of `{ part: { key: message } }`. A feature that speaks English alone
 * has `feature({ en })`, and counts and writes numbers in English as well.
 */
export function feature<M extends Parts>(sources: Sources<M>) {
  const own = book(sources);
  books.push(own);
  const { language } = useSpoken.getState();
  if (language !== "en") {
    const fetched = own.fetch(language).then((turn) => {
      if (useSpoken.getState().language === language) turn?.();
    });
    arriving = Promise.all([arriving, fetched]);
  }
  return { useMessages: own.useMessages, messages: own.messages };
}

/** Resolves once all the messages that code asked for have come, so that no page changes its language while one looks. */
export const messagesArrived = () => arriving;

/** What the reader chose, else the first of the browser's languages that we speak. */
export function preferred(wished: readonly string[] = navigator.languages): Language {
  const chosen = useRoot.getState().language;
  return chosen ?? wished.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? "en";
}

let asked = 0;

/** Puts the app into a language, all at once. Without its messages, as when offline, it stays in the one that it speaks. */
export async function speak(language: Language): Promise<void> {
  asked += 1;
  const mine = asked;
  const turns: ((() => void) | null)[] = [];
  // The code of a feature may come meanwhile, and bring its own.
  while (turns.length <= books.length) {
    const rest = [frame, ...books].slice(turns.length);
    turns.push(...(await Promise.all(rest.map((one) => one.fetch(language)))));
  }
  if (!turns[0] || mine !== asked) return;
  for (const turn of turns) turn?.();
  document.documentElement.lang = language;
}

/** The reader chooses, and is remembered. */
export function choose(language: Language): void {
  useRoot.getState().setLanguage(language);
  void speak(language);
}
