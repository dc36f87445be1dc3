import { useSpoken } from "../../i18n";
import type { Language } from "../../store";

/** What the server says, in the reader's language. */
export interface Sentences {
  /** By the stable reason of a refusal. */
  reasons: Readonly<Record<string, string>>;
  /** What is wrong with a field has no reason of its own: by the server's sentence. */
  fields: Readonly<Record<string, string>>;
}

/** English is what the server speaks itself. */
const TABLES: Record<Exclude<Language, "en">, () => Promise<{ default: Sentences }>> = {
  fr: () => import("./fr.json"),
  nl: () => import("./nl.json"),
};

/** None: everything stays as the server said it. */
export const AS_SAID: Sentences = { reasons: {}, fields: {} };

/** The sentences of the language spoken now. They come with the first refusal; where they do not, the server's own stand. */
export async function sentences(): Promise<Sentences> {
  const { language } = useSpoken.getState();
  if (language === "en") return AS_SAID;
  return TABLES[language]().then(
    (table) => table.default,
    () => AS_SAID,
  );
}
