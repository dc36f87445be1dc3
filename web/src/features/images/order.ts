import { z } from "zod";
import { DEFAULT_CHOICES, MAX_PROMPT_CHARS } from "@/shared/catalog/imageOptions";
import { MAX_LABEL_CHARS } from "./api";

/** What is asked of the engine, and the label in the gallery. Every choice has a default, so nothing is required. */
export const orderSchema = z.object({
  gender: z.string(),
  ethnicity: z.string(),
  age: z.string(),
  hairColor: z.string(),
  face: z.string(),
  pose: z.string(),
  breastSize: z.string(),
  bodyType: z.string(),
  style: z.string(),
  prompt: z.string().trim().max(MAX_PROMPT_CHARS),
  label: z.string().trim().max(MAX_LABEL_CHARS),
});

export const emptyOrder: z.infer<typeof orderSchema> = { ...DEFAULT_CHOICES, prompt: "", label: "" };
