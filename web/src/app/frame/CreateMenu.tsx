import { Drama, ImagePlus } from "lucide-react";
import { useMessages } from "@/shared/i18n";
import { paths } from "@/shared/paths";
import { useNavigate } from "@/shared/router";
import { Menu, MenuItem, type MenuProps } from "@/shared/ui";

interface CreateMenuProps {
  trigger: MenuProps["trigger"];
  side?: "top" | "bottom";
}

/** Character or Image. */
export function CreateMenu({ trigger, side }: CreateMenuProps) {
  const navigate = useNavigate();
  const t = useMessages("frame");
  return (
    <Menu trigger={trigger} side={side}>
      <MenuItem onSelect={() => void navigate(paths.createCharacter)}>
        <Drama className="icon" />
        {t("character")}
      </MenuItem>
      <MenuItem onSelect={() => void navigate(paths.createImage)}>
        <ImagePlus className="icon" />
        {t("image")}
      </MenuItem>
    </Menu>
  );
}
