import { api } from "@/shared/api/client";
import type { CardFields, CardRead, Character } from "@/shared/api/types";
import { MAX_TAGS } from "@/shared/limits";
import { bookOf } from "./lorebook";
import { type CharacterForm, tagSlug } from "./schema";

/** What a card comes in. */
export const CARD_TYPES = ".png,.apng,.json,.charx,image/png,application/json";
/** Most bytes of a portrait; a larger one stays in the card, and an import of the whole makes it smaller. */
export const MAX_PORTRAIT_BYTES = 10 * 1024 * 1024;

const withFile = (file: File) => {
  const body = new FormData();
  body.set("file", file);
  return body;
};

/** Reads a card; nothing is stored. */
export const readCard = (file: File) => api.post<CardRead>("cards/read", { form: withFile(file) });

/** Makes a character of the card as it is, with what the form has no fields for. */
export function importCard(file: File, form: CharacterForm, picture: File | null, key: string) {
  const body = withFile(file);
  body.set("public", String(form.public));
  body.set("nsfw", String(form.nsfw));
  body.set("exportable", String(form.exportable));
  if (form.mode === "generate") {
    body.set("generateMode", "true");
    body.set("imageGeneration", JSON.stringify({ ...form.choices, prompt: form.prompt.trim() }));
  } else if (picture) body.set("picture", picture);
  return api.post<{ character: Character; warnings: string[] }>("cards/import", {
    form: body,
    headers: { "idempotency-key": key },
  });
}

/** The form filled with what a card says; what a card does not decide stays as it was chosen. */
export function filled(form: CharacterForm, card: CardFields): CharacterForm {
  const tags = [...new Set(card.tags.map(tagSlug).filter(Boolean))];
  return {
    ...form,
    name: card.name,
    age: card.age?.toString() ?? "",
    tags: tags.slice(0, MAX_TAGS),
    description: card.description,
    personality: card.personality,
    firstMessage: card.firstMessage,
    scenario: card.scenario,
    exampleConversation: card.exampleConversation,
    kinks: card.kinks.join(", "),
    outfit: card.outfit,
    greetings: card.alternateGreetings.map((text) => ({ text })),
    book: bookOf(card.characterBook),
    systemPrompt: card.systemPrompt,
    postHistoryInstructions: card.postHistoryInstructions,
    creatorNotes: card.creatorNotes,
    characterVersion: card.characterVersion,
    nickname: card.nickname,
    nsfw: form.nsfw || card.nsfw,
  };
}

/** The portrait that comes with a card, as a file to send; null when there is none, or none that fits. */
export function pictureOf(read: CardRead, file: File): File | null {
  const picture = read.pictureIsFile ? file : read.picture ? fileOf(read.picture) : null;
  return picture && picture.size <= MAX_PORTRAIT_BYTES ? picture : null;
}

/** The file in a `data:` address. Not by `fetch`: the content security policy has no `data:` to connect to. */
function fileOf(address: string): File | null {
  const found = /^data:(image\/[a-z+.-]+);base64,(.*)$/s.exec(address);
  if (!found?.[1] || found[2] === undefined) return null;
  const bytes = Uint8Array.from(atob(found[2]), (letter) => letter.charCodeAt(0));
  return new File([bytes], "portrait", { type: found[1] });
}
