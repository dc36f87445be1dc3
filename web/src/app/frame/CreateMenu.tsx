import { Drama, ImagePlus } from "lucide-react";
import { useNavigate } from "react-router";
import { paths } from "@/shared/paths";
import { Menu, MenuItem, type MenuProps } from "@/shared/ui";

interface CreateMenuProps {
  trigger: MenuProps["trigger"];
  side?: "top" | "bottom";
}

/** Character or Image. */
export function CreateMenu({ trigger, side }: CreateMenuProps) {
  const navigate = useNavigate();
  return (
    <Menu trigger={trigger} side={side}>
      <MenuItem onSelect={() => void navigate(paths.createCharacter)}>
        <Drama className="icon" />
        Character
      </MenuItem>
      <MenuItem onSelect={() => void navigate(paths.createImage)}>
        <ImagePlus className="icon" />
        Image
      </MenuItem>
    </Menu>
  );
}
