/** The choices for a picture, each with the values the server takes. `pose` names none that could not be printed on a bill. */
export const IMAGE_OPTIONS = {
  gender: ["female", "male", "futa", "femboy"],
  ethnicity: ["European", "Indian", "Ebony", "Asian", "Latina", "Arabian"],
  age: ["18", "20s", "30s", "40s", "50s"],
  hairColor: ["Multicolored", "Black", "White", "Brunette", "Purple", "Pink"],
  face: [
    "Default",
    "Orgasm Face",
    "Smug",
    "Blush",
    "Calm",
    "Smile",
    "Surprised",
    "Shocked",
    "Looking at Viewer",
    "Joyful",
  ],
  pose: [
    "Standing",
    "Sitting",
    "Leaning",
    "Walking",
    "Arms Crossed",
    "Hands on Hips",
    "Waving",
    "Reading",
    "Dancing",
    "Over the Shoulder",
  ],
  breastSize: ["small", "medium", "large", "sagging breast"],
  bodyType: ["skinny", "fit", "chubby", "fat", "muscular"],
  style: ["anime", "realistic"],
} as const;

export type ImageOption = keyof typeof IMAGE_OPTIONS;
export const OPTION_NAMES = Object.keys(IMAGE_OPTIONS) as ImageOption[];

export type ImageChoices = Record<ImageOption, string>;

export const OPTION_LABELS: Readonly<Record<ImageOption, string>> = {
  gender: "Gender",
  ethnicity: "Ethnicity",
  age: "Age",
  hairColor: "Hair color",
  face: "Face",
  pose: "Pose",
  breastSize: "Breast size",
  bodyType: "Body type",
  style: "Style",
};

export const DEFAULT_CHOICES: ImageChoices = {
  gender: "female",
  ethnicity: "European",
  age: "20s",
  hairColor: "Brunette",
  face: "Default",
  pose: "Standing",
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
export const optionLabel = (value: string) => value.charAt(0).toUpperCase() + value.slice(1);
