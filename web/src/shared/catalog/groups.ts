import {
  Brain,
  Church,
  Compass,
  Earth,
  Flame,
  Globe,
  HeartHandshake,
  type LucideIcon,
  Ruler,
  Target,
  UsersRound,
  WandSparkles,
} from "lucide-react";
import type { Tag } from "./tags";

export interface TagGroup {
  name: string;
  icon: LucideIcon;
  tags: readonly Tag[];
}

/** Which group each tag belongs to, in the order of `/categories`. Every tag is in exactly one. */
export const TAG_GROUPS: readonly TagGroup[] = [
  {
    name: "Character Type",
    icon: UsersRound,
    tags: ["female", "male", "non-binary", "multiple", "oc", "fictional", "assistant", "object", "vtuber"],
  },
  {
    name: "Genre",
    icon: Compass,
    tags: [
      "scenario",
      "rpg",
      "action",
      "anime",
      "manga",
      "seinen",
      "game",
      "movie",
      "books",
      "fandom",
      "historical",
      "detective",
      "philosophy",
      "politics",
      "blog",
    ],
  },
  {
    name: "Personality",
    icon: Brain,
    tags: [
      "dominant",
      "submissive",
      "switch",
      "tsundere",
      "yandere",
      "kuudere",
      "deredere",
      "dandere",
      "bully",
    ],
  },
  { name: "Goal", icon: Target, tags: ["hero", "villain", "royalty", "cheating"] },
  { name: "Origin", icon: Globe, tags: ["non-human", "robot", "alien", "non-english"] },
  { name: "Physical Traits", icon: Ruler, tags: ["petite", "bbw", "milf", "dilf", "giant"] },
  { name: "Sexuality", icon: HeartHandshake, tags: ["straight", "lesbian", "asexual"] },
  {
    name: "Fantasy",
    icon: WandSparkles,
    tags: ["magical", "myth", "folklore", "elf", "monster", "monster-girl", "furry", "succubus"],
  },
  {
    name: "Kink",
    icon: Flame,
    tags: ["nsfw", "femdom", "breeding", "cuckold", "hentai", "chastity", "feet"],
  },
  { name: "Ethnicity", icon: Earth, tags: ["arab"] },
  { name: "Religion", icon: Church, tags: ["muslim", "religion"] },
];
