/** Tag slugs in the order readers see them; each belongs to a group of `/categories`. */
export const TAGS = [
  "female",
  "male",
  "nsfw",
  "scenario",
  "dominant",
  "submissive",
  "fictional",
  "multiple",
  "oc",
  "petite",
  "myth",
  "breeding",
  "femdom",
  "milf",
  "straight",
  "cheating",
  "rpg",
  "monster-girl",
  "cuckold",
  "bully",
  "non-human",
  "switch",
  "anime",
  "magical",
  "bbw",
  "monster",
  "furry",
  "game",
  "hentai",
  "villain",
  "chastity",
  "hero",
  "elf",
  "tsundere",
  "yandere",
  "kuudere",
  "royalty",
  "assistant",
  "robot",
  "object",
  "non-binary",
  "deredere",
  "feet",
  "movie",
  "arab",
  "muslim",
  "religion",
  "historical",
  "giant",
  "succubus",
  "lesbian",
  "action",
  "alien",
  "vtuber",
  "dandere",
  "non-english",
  "fandom",
  "books",
  "philosophy",
  "manga",
  "politics",
  "asexual",
  "folklore",
  "dilf",
  "detective",
  "seinen",
  "blog",
] as const;

export type Tag = (typeof TAGS)[number];

/** Shown only to readers who are logged in. */
export const NSFW_TAG: Tag = "nsfw";

const NAMES: Readonly<Record<string, string>> = {
  bbw: "BBW",
  dilf: "DILF",
  milf: "MILF",
  nsfw: "NSFW",
  oc: "OC",
  rpg: "RPG",
  vtuber: "VTuber",
  "non-binary": "Non-binary",
  "non-english": "Non-English",
  "non-human": "Non-human",
};

/** How a slug is written: `monster-girl` → `Monster Girl`. */
export function tagName(slug: string): string {
  const lower = slug.toLowerCase();
  return (
    NAMES[lower] ??
    lower.replace(
      /(^|-)(\p{L})/gu,
      (_, gap: string, letter: string) => `${gap ? " " : ""}${letter.toUpperCase()}`,
    )
  );
}

/** The tags a reader may see: NSFW only when logged in. */
export const visibleTags = (loggedIn: boolean): readonly Tag[] =>
  loggedIn ? TAGS : TAGS.filter((tag) => tag !== NSFW_TAG);
