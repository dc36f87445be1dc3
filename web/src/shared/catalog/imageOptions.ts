import { queryOptions } from "@tanstack/react-query";
import { api } from "../api/client";
import type { ImageChoice, ImageFormOptions } from "../api/types";

/** The choices for a picture, under the names the server takes. */
export type ImageOption =
  | "gender"
  | "ethnicity"
  | "age"
  | "hairColor"
  | "face"
  | "pose"
  | "breastSize"
  | "bodyType"
  | "style";
export type ImageChoices = Record<ImageOption, string>;

/** What is offered until the server has said what there is, which holds the form's shape. Poses are its alone. */
const FIXED: Readonly<Record<ImageOption, readonly string[]>> = {
  gender: ["female", "male", "futa", "femboy"],
  ethnicity: ["European", "Indian", "Ebony", "Asian", "Latina", "Arabian"],
  age: ["18", "20s", "30s", "40s", "50s"],
  hairColor: ["Multicolored", "Black", "White", "Brunette", "Purple", "Pink"],
  face: ["Default", "Smug", "Blush", "Calm", "Smile", "Surprised", "Shocked", "Looking at Viewer", "Joyful"],
  pose: [],
  breastSize: ["small", "medium", "large", "sagging breast"],
  bodyType: ["skinny", "fit", "chubby", "fat", "muscular"],
  style: ["anime", "realistic"],
};

/** An empty pose leaves it to the engine. */
export const DEFAULT_CHOICES: ImageChoices = {
  gender: "female",
  ethnicity: "European",
  age: "20s",
  hairColor: "Brunette",
  face: "Default",
  pose: "",
  breastSize: "medium",
  bodyType: "fit",
  style: "anime",
};

/** Most a prompt may hold, characters. */
export const MAX_PROMPT_CHARS = 1000;

const GENERATED_AGES: Readonly<Record<string, number>> = {
  "18": 18,
  "20s": 20,
  "30s": 30,
  "40s": 40,
  "50s": 50,
};

/** The age in years that a choice stands for. */
export const ageOfChoice = (choice: string): number => GENERATED_AGES[choice] ?? 18;

/** A value as a label: first letter large. */
const optionLabel = (value: string) => value.charAt(0).toUpperCase() + value.slice(1);

/** All that can be chosen for a picture, and what one costs. Changes only when the house is set up anew. */
export const imageFormOptions = queryOptions({
  queryKey: ["image-options"],
  queryFn: ({ signal }) => api.get<ImageFormOptions>("images/options", { signal }),
  staleTime: 60 * 60 * 1000,
});

/** The choices of one field. Those that are NSFW, whose pictures stay private, only where `nsfw` lets them. */
export function choicesOf(
  form: ImageFormOptions | undefined,
  option: ImageOption,
  nsfw: boolean,
): readonly ImageChoice[] {
  const told = form?.options.find(({ field }) => field === option)?.choices;
  const choices = told ?? FIXED[option].map((value) => ({ value, label: optionLabel(value), nsfw: false }));
  return choices.filter((choice) => nsfw || !choice.nsfw);
}
