import { messages } from "./i18n";
import type en from "./i18n/en.json";

/** What is wrong with a field, said in the language that is spoken when it is found. */
export const wrong = (problem: keyof (typeof en)["problem"], values?: Record<string, number>) => ({
  error: () => messages("problem")(problem, values),
});
