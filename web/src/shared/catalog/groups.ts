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

type GroupName =
  | "characterType"
  | "genre"
  | "personality"
  | "goal"
  | "origin"
  | "physicalTraits"
  | "sexuality"
  | "fantasy"
  | "kink"
  | "ethnicity"
  | "religion";

export interface TagGroup {
  /** By which its page says what it is called. */
  name: GroupName;
  icon: LucideIcon;
  tags: readonly Tag[];
}

/** Which group each tag belongs to, in the order of `/categories`. Every tag is in exactly one. */
export const TAG_GROUPS: readonly TagGroup[] = [
  {
    name: "characterType",
    icon: UsersRound,
    tags: ["female", "male", "non-binary", "multiple", "oc", "fictional", "assistant", "object", "vtuber"],
  },
  {
    name: "genre",
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
    name: "personality",
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
  { name: "goal", icon: Target, tags: ["hero", "villain", "royalty", "cheating"] },
  { name: "origin", icon: Globe, tags: ["non-human", "robot", "alien", "non-english"] },
  { name: "physicalTraits", icon: Ruler, tags: ["petite", "bbw", "milf", "dilf", "giant"] },
  { name: "sexuality", icon: HeartHandshake, tags: ["straight", "lesbian", "asexual"] },
  {
    name: "fantasy",
    icon: WandSparkles,
    tags: ["magical", "myth", "folklore", "elf", "monster", "monster-girl", "furry", "succubus"],
  },
  {
    name: "kink",
    icon: Flame,
    tags: ["nsfw", "femdom", "breeding", "cuckold", "hentai", "chastity", "feet"],
  },
  { name: "ethnicity", icon: Earth, tags: ["arab"] },
  { name: "religion", icon: Church, tags: ["muslim", "religion"] },
];
