import { Plus } from "lucide-react";
import { Link } from "react-router";
import { paths } from "@/shared/paths";

/** The Create menu spread out, for a drawer that is a list already. */
export function CreateMenuLinks() {
  return (
    <div className="nav-group">
      <Link to={paths.createCharacter}>
        <Plus className="icon" />
        Create a Character
      </Link>
      <Link to={paths.createImage}>
        <Plus className="icon" />
        Create an Image
      </Link>
    </div>
  );
}
