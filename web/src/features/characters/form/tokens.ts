import type { CharacterForm } from "./schema";

/** Bytes of text that are taken for one token, as the server reckons where it does not know the model's own. */
const BYTES_A_TOKEN = 4;

const encoder = new TextEncoder();

/** About how many tokens a text is for the model; an estimate, as which tokenizer reads it is not known here. */
export const tokensOf = (text: string): number =>
  Math.ceil(encoder.encode(text.trim()).length / BYTES_A_TOKEN);

/** Fields that stand in every prompt. The greeting is the first message of the chat and leaves with it. */
const ALWAYS = [
  "name",
  "description",
  "personality",
  "scenario",
  "exampleConversation",
  "outfit",
  "kinks",
  "systemPrompt",
  "postHistoryInstructions",
] as const;

/** About how many tokens of every prompt the card takes, entries of the lorebook that are always told among them. */
export function cardTokens(form: CharacterForm): number {
  const lore = form.book.entries.filter((entry) => entry.constant && entry.enabled);
  return (
    ALWAYS.reduce((sum, field) => sum + tokensOf(form[field]), 0) +
    lore.reduce((sum, entry) => sum + tokensOf(entry.content), 0)
  );
}
