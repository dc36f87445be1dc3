import { EllipsisVertical, EyeOff, Flag, Trash2, UserX } from "lucide-react";
import type { Character } from "@/shared/api/types";
import { useBlock } from "@/shared/blocking";
import { useDeleteCharacter } from "@/shared/deleted";
import { paths } from "@/shared/paths";
import { useReportQuestion } from "@/shared/report";
import { useNavigate } from "@/shared/router";
import { IconButton, Menu, MenuItem } from "@/shared/ui";
import { useMessages } from "../i18n";

/** What a member can do about a character beside playing with it: delete one's own; report or block another's. */
export function MoreMenu({ character, mine }: { character: Character; mine: boolean }) {
  const t = useMessages("more");
  const navigate = useNavigate();
  const block = useBlock();
  const remove = useDeleteCharacter();
  const report = useReportQuestion((state) => state.ask);
  const { _id, name, creator } = character;
  const goAway = async () => {
    if (await remove(character)) void navigate(paths.myCharacters);
  };
  return (
    <Menu
      align="start"
      trigger={
        <IconButton label={t("about", { name })} small outlined>
          <EllipsisVertical className="icon" />
        </IconButton>
      }
    >
      {mine ? (
        <MenuItem onSelect={() => void goAway()}>
          <Trash2 className="icon s" />
          {t("delete")}
        </MenuItem>
      ) : (
        <>
          <MenuItem onSelect={() => report({ kind: "character", id: _id, name })}>
            <Flag className="icon s" />
            {t("report")}
          </MenuItem>
          <MenuItem onSelect={() => void block({ kind: "character", target: _id, label: name })}>
            <EyeOff className="icon s" />
            {t("block")}
          </MenuItem>
          <MenuItem
            onSelect={() => void block({ kind: "creator", target: creator._id, label: creator.username })}
          >
            <UserX className="icon s" />
            {t("blockName", { name: creator.username })}
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
