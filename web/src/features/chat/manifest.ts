import type { PromptBlock, PromptEntry, PromptManifest } from "@/shared/api/types";
import { plural } from "@/shared/format";

export type PartKind = "card" | "persona" | "memory" | "history";

const KINDS: Readonly<Record<string, PartKind>> = {
  persona: "persona",
  pinned: "memory",
  memory: "memory",
  recalled: "memory",
  lore: "memory",
  lore_constant: "memory",
  history: "history",
  continue: "history",
};

export interface BarPart {
  kind: PartKind;
  name: string;
  tokens: number;
}

/** The parts of a prompt as its bar shows them: few, and in the order of the prompt. */
export function barOf(manifest: PromptManifest, character: string, own: string): BarPart[] {
  const sums: Record<PartKind, number> = { card: 0, persona: 0, memory: 0, history: 0 };
  for (const { block, tokens } of manifest.blocks) sums[KINDS[block] ?? "card"] += tokens;
  const messages = manifest.blocks.find(({ block }) => block === "history")?.parts ?? 0;
  const parts: BarPart[] = [
    { kind: "card", name: `${character}'s card`, tokens: sums.card },
    { kind: "persona", name: `You, as ${own}`, tokens: sums.persona },
    { kind: "memory", name: "Memory and lore", tokens: sums.memory },
    {
      kind: "history",
      name: messages === 1 ? "The last message" : `The last ${plural(messages, "message")}`,
      tokens: sums.history,
    },
  ];
  return parts.filter(({ tokens }) => tokens > 0);
}

/** Why a block is not there, or not whole; null when it is whole. */
export function blockNote({ block, included, why, dropped }: PromptBlock): string | null {
  if (why === null && !dropped) return null;
  const left = dropped ? ` ${dropped.toLocaleString("en-GB")} left out.` : "";
  switch (why) {
    case "absent":
      return "Nothing to tell.";
    case "budget":
      if (!included) return "Left out: there was no room.";
      return block === "history" ? `The oldest no longer fit.${left}` : `Not all of it fits.${left}`;
    case "card_cut":
      return `The card is too long to be told whole.${left}`;
    default:
      return left.trim() || null;
  }
}

/** Why an entry is not in the prompt, or null. */
export function entryNote({ included, why }: PromptEntry): string | null {
  if (included) return null;
  if (why === "budget") return "No room";
  if (why === "bad_regex") return "Its regular expression cannot be read";
  return "Left out";
}

const WARNINGS: Readonly<Record<string, string>> = {
  card_cut: "The card is longer than the room for it: the character does not get to see all of it.",
};
export const warningOf = (code: string) => WARNINGS[code] ?? null;
