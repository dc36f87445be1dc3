import { createContext, useContext } from "react";
import type { Message } from "@/shared/api/types";
import { messages } from "./i18n";

/** What can be done with a message. */
export interface TurnActions {
  /** Why what changes the path cannot be done now, or null. */
  locked: string | null;
  /** One version on, or back. */
  swipe: (message: Message, step: 1 | -1) => void;
  /** Another reply. */
  again: (message: Message) => void;
  /** False when it was not taken and the words stay in the field. */
  edit: (message: Message, content: string, reply: boolean) => Promise<boolean>;
  remove: (message: Message) => void;
  fork: (message: Message) => void;
  copy: (message: Message) => void;
  /** What the character saw when it wrote this. */
  see: (message: Message) => void;
  remember: (message: Message) => void;
}

const Context = createContext<TurnActions | null>(null);
export const TurnActionsProvider = Context.Provider;

export function useTurnActions(): TurnActions {
  const actions = useContext(Context);
  if (!actions) throw new Error("a turn stands outside of a talk");
  return actions;
}

/** Versions that a message may have. */
export const MAX_VARIANTS = 20;

export interface Leafing {
  /** Why one cannot go back, or null. */
  back: string | null;
  /** What going on means. */
  on: "next" | "write" | null;
  /** Why one cannot go on, or null. */
  onRefused: string | null;
}

/** Where one can leaf to from a version; `newest`: it is the reply at the end of the path, to which others can be written. */
export function leafing(
  { variant, variants, parentId, senderType }: Message,
  newest: boolean,
  locked: string | null,
): Leafing {
  const canWrite = newest && senderType === "character" && parentId !== null;
  const on = variant < variants ? "next" : canWrite ? "write" : null;
  const t = messages("turn");
  const full = on === "write" && variants >= MAX_VARIANTS;
  return {
    back: locked ?? (variant > 1 ? null : t("first")),
    on,
    onRefused: locked ?? (on === null ? t("last") : full ? t("full", { count: MAX_VARIANTS }) : null),
  };
}
