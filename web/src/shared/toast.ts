import { create } from "zustand";
import { messages } from "./i18n";
import { TOAST_MS, UNDO_TOAST_MS } from "./limits";

export type ToastKind = "good" | "bad" | "note";

/** One thing to do about what a toast says: `Undo`. */
export interface ToastAction {
  label: string;
  run: () => void;
}

export interface ToastEntry {
  id: number;
  kind: ToastKind;
  text: string;
  /** Closes by itself after this, ms. */
  lifeMs: number;
  /** Can be swiped away. */
  draggable: boolean;
  action?: ToastAction;
}

/** More than this at once and the oldest goes. */
const MAX_TOASTS = 4;

interface ToastQueue {
  toasts: ToastEntry[];
  dismiss: (id: number) => void;
}

export const useToasts = create<ToastQueue>((set) => ({
  toasts: [],
  dismiss: (id) => set((state) => ({ toasts: state.toasts.filter((entry) => entry.id !== id) })),
}));

let nextId = 1;

export interface ToastOptions {
  lifeMs?: number;
  draggable?: boolean;
  /** Stays longer, so that there is time to press it. */
  action?: ToastAction;
}

function show(
  kind: ToastKind,
  text: string,
  { action, lifeMs = action ? UNDO_TOAST_MS : TOAST_MS, draggable = false }: ToastOptions = {},
): number {
  const entry: ToastEntry = { id: nextId++, kind, text, lifeMs, draggable, action };
  useToasts.setState((state) => ({
    // The same sentence twice is one toast with a new life; two things to undo stay two.
    toasts: [...state.toasts.filter((t) => t.text !== text || t.action), entry].slice(-MAX_TOASTS),
  }));
  return entry.id;
}

export const toast = {
  success: (text: string, options?: ToastOptions) => show("good", text, options),
  error: (text: string, options?: ToastOptions) => show("bad", text, options),
  info: (text: string, options?: ToastOptions) => show("note", text, options),
  /** Something was taken away, or put in place of something: says so, with Undo beside it for a while. */
  undo: (text: string, run: () => void) =>
    show("good", text, { action: { label: messages("ui")("undo"), run } }),
};
