import { EyeOff, Flag, Tag, UserX } from "lucide-react";
import type { CharacterCard } from "../api/types";
import { useBlock } from "../blocking";
import { tagName } from "../catalog/tags";
import { useReportQuestion } from "../report";
import { useMessages } from "./i18n";
import { Menu, MenuGroup, MenuItem, type MenuProps } from "./Menu";

interface CardActionsProps {
  character: CharacterCard;
  trigger: MenuProps["trigger"];
  /** The card is about to go. */
  onLeave?: () => void;
}

/** The menu itself, already open. A chunk of its own: the first view needs none. */
export default function CardActions({ character, trigger, onLeave }: CardActionsProps) {
  const t = useMessages("card");
  const block = useBlock();
  const report = useReportQuestion((state) => state.ask);
  const { _id, name, creator, tags } = character;
  const leave = (kind: "character" | "creator" | "tag", target: string, label: string) => {
    onLeave?.();
    void block({ kind, target, label });
  };
  return (
    <Menu trigger={trigger} defaultOpen outside>
      <MenuItem onSelect={() => report({ kind: "character", id: _id, name })}>
        <Flag className="icon s" />
        {t("report")}
      </MenuItem>
      <MenuItem onSelect={() => leave("character", _id, name)}>
        <EyeOff className="icon s" />
        {t("blockCharacter")}
      </MenuItem>
      <MenuItem onSelect={() => leave("creator", creator._id, creator.username)}>
        <UserX className="icon s" />
        {t("blockName", { name: creator.username })}
      </MenuItem>
      {tags.length > 0 && (
        <MenuGroup label={t("blockTag")}>
          {tags.map((tag) => (
            <MenuItem key={tag} onSelect={() => leave("tag", tag.toLowerCase(), tagName(tag))}>
              <Tag className="icon s" />
              {tagName(tag)}
            </MenuItem>
          ))}
        </MenuGroup>
      )}
    </Menu>
  );
}
