import { CircleStop, Download, Ellipsis, Pencil, SquareUserRound, Trash2 } from "lucide-react";
import type { Image } from "@/shared/api/types";
import { IconButton, Menu, MenuItem } from "@/shared/ui";
import { isUnderWay, nameOf } from "../api";

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
  return (
    <div className="shot-menu">
      <Menu
        trigger={
          <IconButton small label={`What to do with ${nameOf(image)}`}>
            <Ellipsis className="icon" />
          </IconButton>
        }
      >
        {isUnderWay(image) ? (
          <MenuItem onSelect={actions.onCancel}>
            <CircleStop className="icon s" />
            Cancel
          </MenuItem>
        ) : (
          <>
            {image.imageUrl && (
              <>
                <MenuItem onSelect={later(actions.onEdit)}>
                  <Pencil className="icon s" />
                  Edit
                </MenuItem>
                <MenuItem onSelect={later(actions.onPortrait)}>
                  <SquareUserRound className="icon s" />
                  Use as a portrait
                </MenuItem>
                <MenuItem onSelect={actions.onDownload}>
                  <Download className="icon s" />
                  Download original
                </MenuItem>
              </>
            )}
            <MenuItem onSelect={actions.onDelete}>
              <Trash2 className="icon s" />
              Delete
            </MenuItem>
          </>
        )}
      </Menu>
    </div>
  );
}
