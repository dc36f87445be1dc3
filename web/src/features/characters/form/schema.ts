import { z } from "zod";
import type { Character } from "@/shared/api/types";
import { ageOfChoice, DEFAULT_CHOICES, MAX_PROMPT_CHARS } from "@/shared/catalog/imageOptions";
import { MAX_TAGS, MIN_CHARACTER_AGE } from "@/shared/limits";
import { messages } from "./i18n";
import { bookJson, bookOf, bookSchema, emptyBook } from "./lorebook";
import { wrong } from "./problem";

/** Most each field holds, characters. */
export const MAX_CHARS = {
  name: 80,
  description: 2000,
  personality: 32_000,
  firstMessage: 4000,
  scenario: 4000,
  exampleConversation: 16_000,
  kinks: 500,
  outfit: 500,
  tag: 30,
  systemPrompt: 8000,
  postHistoryInstructions: 8000,
  creatorNotes: 16_000,
  characterVersion: 100,
  nickname: 80,
} as const;

/** Most further greetings. */
export const MAX_GREETINGS = 20;

/** Years; older than this was a slip of the finger. */
const MAX_AGE = 10_000;

const words = (field: keyof typeof MAX_CHARS) =>
  z.string().max(MAX_CHARS[field], wrong("tooLong", { count: MAX_CHARS[field] }));

const fields = z.object({
  mode: z.enum(["upload", "generate"]),
  name: words("name").trim().min(1, wrong("needsName")),
  /** As typed; empty when the creator gives none. */
  age: z.string(),
  tags: z.array(z.string()).max(MAX_TAGS, wrong("tooManyTags", { count: MAX_TAGS })),
  description: words("description").trim().min(1, wrong("needsDescription")),
  personality: words("personality"),
  firstMessage: words("firstMessage").trim().min(1, wrong("needsFirst")),
  scenario: words("scenario"),
  exampleConversation: words("exampleConversation"),
  kinks: words("kinks"),
  outfit: words("outfit"),
  greetings: z.array(z.object({ text: words("firstMessage") })).max(MAX_GREETINGS),
  book: bookSchema,
  systemPrompt: words("systemPrompt"),
  postHistoryInstructions: words("postHistoryInstructions"),
  creatorNotes: words("creatorNotes"),
  characterVersion: words("characterVersion"),
  nickname: words("nickname"),
  nsfw: z.boolean(),
  public: z.boolean(),
  exportable: z.boolean(),
  choices: z.object({
    gender: z.string(),
    ethnicity: z.string(),
    age: z.string(),
    hairColor: z.string(),
    face: z.string(),
    pose: z.string(),
    breastSize: z.string(),
    bodyType: z.string(),
    style: z.string(),
  }),
  prompt: z.string().max(MAX_PROMPT_CHARS),
});

/** Issues of what is written, not of its shape. */
const LACKS = new Set<string>(["too_small", "too_big", "custom"]);

/** The form as it may stand half written: the right shape, whatever it still lacks. */
export const characterDraft = z.custom<z.infer<typeof fields>>((kept) => {
  const result = fields.safeParse(kept);
  return result.success || result.error.issues.every(({ code }) => LACKS.has(code));
});

export const characterSchema = fields.superRefine((form, context) => {
  // With generate mode the age is that of the picture.
  if (form.mode === "generate" || form.age.trim() === "") return;
  const age = Number(form.age);
  const problem =
    !Number.isInteger(age) || age > MAX_AGE ? "ageWhole" : age < MIN_CHARACTER_AGE ? "ageMin" : null;
  if (!problem) return;
  const message = messages("problem")(problem, { age: MIN_CHARACTER_AGE });
  context.addIssue({ code: "custom", path: ["age"], message });
});

export type CharacterForm = z.infer<typeof characterSchema>;

export const emptyCharacter: CharacterForm = {
  mode: "upload",
  name: "",
  age: "",
  tags: [],
  description: "",
  personality: "",
  firstMessage: "",
  scenario: "",
  exampleConversation: "",
  kinks: "",
  outfit: "",
  greetings: [],
  book: emptyBook,
  systemPrompt: "",
  postHistoryInstructions: "",
  creatorNotes: "",
  characterVersion: "",
  nickname: "",
  nsfw: false,
  public: true,
  exportable: false,
  choices: DEFAULT_CHOICES,
  prompt: "",
};

/** The form as it stands for a character that is there. */
export function formOf(character: Character): CharacterForm {
  return {
    ...emptyCharacter,
    name: character.name,
    age: character.age?.toString() ?? "",
    tags: character.tags,
    description: character.description,
    personality: character.personality,
    firstMessage: character.firstMessage,
    scenario: character.scenario,
    exampleConversation: character.exampleConversation,
    kinks: Array.isArray(character.kinks) ? character.kinks.join(", ") : (character.kinks ?? ""),
    outfit: character.outfit,
    greetings: character.alternateGreetings.map((text) => ({ text })),
    book: bookOf(character.characterBook),
    systemPrompt: character.systemPrompt,
    postHistoryInstructions: character.postHistoryInstructions,
    creatorNotes: character.creatorNotes,
    characterVersion: character.characterVersion,
    nickname: character.nickname,
    nsfw: character.nsfw,
    public: character.public,
    exportable: character.exportable,
    prompt: character.prompt,
  };
}

/** A tag as the house writes them: lower case, words joined by hyphens. */
export const tagSlug = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, "-")
    .replace(/[^\p{L}\p{N}-]/gu, "")
    .replace(/-{2,}/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, MAX_CHARS.tag);

const TEXTS = [
  "name",
  "description",
  "personality",
  "firstMessage",
  "scenario",
  "exampleConversation",
  "kinks",
  "outfit",
  "systemPrompt",
  "postHistoryInstructions",
  "creatorNotes",
  "characterVersion",
  "nickname",
] as const;

/** The multipart body of `POST create` and `PUT characters/{id}`. */
export function characterBody(form: CharacterForm, image: File | null): FormData {
  const body = new FormData();
  for (const field of TEXTS) body.set(field, form[field].trim());
  body.set("tags", JSON.stringify(form.tags));
  body.set("nsfw", String(form.nsfw));
  body.set("public", String(form.public));
  body.set("exportable", String(form.exportable));
  const greetings = form.greetings.map(({ text }) => text.trim()).filter(Boolean);
  body.set("alternateGreetings", JSON.stringify(greetings));
  body.set("characterBook", bookJson(form.book));
  if (form.mode === "generate") {
    body.set("generateMode", "true");
    body.set("age", String(ageOfChoice(form.choices.age)));
    for (const [option, value] of Object.entries(form.choices)) {
      body.set(`imageGeneration[${option}]`, value);
    }
    body.set("imageGeneration[prompt]", form.prompt.trim());
  } else {
    if (form.age.trim() !== "") body.set("age", form.age.trim());
    if (image) body.set("image", image);
  }
  return body;
}
