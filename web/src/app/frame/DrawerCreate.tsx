import { Plus } from "lucide-react";
import { useMessages } from "@/shared/i18n";
import { paths } from "@/shared/paths";
import { Link } from "@/shared/router";

/** The Create menu spread out, for a drawer that is a list already. */
export function CreateMenuLinks() {
  const t = useMessages("frame");
  return (
    <div className="nav-group">
      <Link to={paths.createCharacter}>
        <Plus className="icon" />
        {t("createCharacter")}
      </Link>
      <Link to={paths.createImage}>
        <Plus className="icon" />
        {t("createImage")}
      </Link>
    </div>
  );
}
