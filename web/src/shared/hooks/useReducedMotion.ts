import { useMedia } from "./useMedia";

/** Whether the reader asked for less motion: no typing effects, no carousel that moves by itself. */
export const useReducedMotion = () => useMedia("(prefers-reduced-motion: reduce)");
