import { CircleStop, Download, Ellipsis, Pencil, SquareUserRound, Trash2 } from "lucide-react";
import type { Image } from "@/shared/api/types";
import { IconButton, Menu, MenuItem } from "@/shared/ui";
import { isUnderWay, nameOf } from "../api";
import { useMessages } from "../i18n";

export interface ShotActions {
  onEdit: () => void;
  onPortrait: () => void;
  onDownload: () => void;
  onCancel: () => void;
  onDelete: () => void;
}

/** After the menu has given the focus back to its button: a dialog then gives it back there too. */
const later = (run: () => void) => () => setTimeout(() => setTimeout(run));

/** What can be done with a picture, in its corner. */
export function ShotMenu({ image, actions }: { image: Image; actions: ShotActions }) {
  const t = useMessages("shot");
  return (
    <div className="shot-menu">
      <Menu
        trigger={
          <IconButton small label={t("menu", { name: nameOf(image) })}>
            <Ellipsis className="icon" />
          </IconButton>
        }
      >
        {isUnderWay(image) ? (
          <MenuItem onSelect={actions.onCancel}>
            <CircleStop className="icon s" />
            {t("cancel")}
          </MenuItem>
        ) : (
          <>
            {image.imageUrl && (
              <>
                <MenuItem onSelect={later(actions.onEdit)}>
                  <Pencil className="icon s" />
                  {t("edit")}
                </MenuItem>
                <MenuItem onSelect={later(actions.onPortrait)}>
                  <SquareUserRound className="icon s" />
                  {t("asPortrait")}
                </MenuItem>
                <MenuItem onSelect={actions.onDownload}>
                  <Download className="icon s" />
                  {t("download")}
                </MenuItem>
              </>
            )}
            <MenuItem onSelect={actions.onDelete}>
              <Trash2 className="icon s" />
              {t("delete")}
            </MenuItem>
          </>
        )}
      </Menu>
    </div>
  );
}
