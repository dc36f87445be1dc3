import type { CharacterCard, CreatorRef } from "@/shared/api/types";

/** Rows of the table, podium included. */
export const MAX_ROWS = 24;

export interface Ranked {
  creator: CreatorRef;
  characters: number;
  score: number;
}

/** Adds up one figure of every character by creator, largest first. */
export function rank(
  characters: readonly CharacterCard[],
  figure: (character: CharacterCard) => number,
): Ranked[] {
  const byCreator = new Map<string, Ranked>();
  for (const character of characters) {
    const row = byCreator.get(character.creator._id) ?? {
      creator: character.creator,
      characters: 0,
      score: 0,
    };
    row.characters += 1;
    row.score += figure(character);
    byCreator.set(character.creator._id, row);
  }
  return [...byCreator.values()]
    .sort((a, b) => b.score - a.score || a.creator.username.localeCompare(b.creator.username))
    .slice(0, MAX_ROWS);
}
