import type { PromptBlock, PromptEntry, PromptManifest } from "@/shared/api/types";
import { messages } from "./i18n";

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
  const t = messages("sees");
  const lines = manifest.blocks.find(({ block }) => block === "history")?.parts ?? 0;
  const parts: BarPart[] = [
    { kind: "card", name: t("card", { name: character }), tokens: sums.card },
    { kind: "persona", name: t("youAs", { name: own }), tokens: sums.persona },
    { kind: "memory", name: t("mind"), tokens: sums.memory },
    {
      kind: "history",
      name: t("history", { count: lines }),
      tokens: sums.history,
    },
  ];
  return parts.filter(({ tokens }) => tokens > 0);
}

/** Why a block is not there, or not whole; null when it is whole. */
export function blockNote({ block, included, why, dropped }: PromptBlock): string | null {
  if (why === null && !dropped) return null;
  const t = messages("sees");
  const left = dropped ? t("left", { count: dropped }) : "";
  const and = (said: string) => [said, left].filter(Boolean).join(" ");
  switch (why) {
    case "absent":
      return t("absent");
    case "budget":
      if (!included) return t("noRoom");
      return and(t(block === "history" ? "oldest" : "notAll"));
    case "card_cut":
      return and(t("cardCut"));
    default:
      return left || null;
  }
}

/** Why an entry is not in the prompt, or null. */
export function entryNote({ included, why }: PromptEntry): string | null {
  const t = messages("sees");
  if (included) return null;
  if (why === "budget") return t("entryNoRoom");
  if (why === "bad_regex") return t("entryRegex");
  return t("entryOut");
}

/** What a warning means, or null where this page does not know it. */
export const warningOf = (code: string) => (code === "card_cut" ? messages("sees")("warnCard") : null);

const TITLED = [
  "system",
  "description",
  "personality",
  "scenario",
  "outfit",
  "persona",
  "lore_constant",
  "pinned",
  "examples",
  "memory",
  "history",
  "lore",
  "recalled",
  "instructions",
  "continue",
] as const;
const isTitled = (block: string): block is (typeof TITLED)[number] =>
  TITLED.some((titled) => titled === block);

/** What a block is called; by the server's own word where this page does not know it. */
export const titleOf = ({ block, title }: PromptBlock) =>
  isTitled(block) ? messages("sees")(`block_${block}`) : title;
