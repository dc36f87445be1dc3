import { LogIn, MessageCircle, Plus, Search, Theater, User } from "lucide-react";
import { useMessages } from "@/shared/i18n";
import { paths } from "@/shared/paths";
import { NavLink } from "@/shared/router";
import { useLoggedIn, useUser } from "@/shared/store";
import { CreateMenu } from "./CreateMenu";
import { HomeLink } from "./NavLinks";

/** The bar at the foot of a phone. */
export function BottomBar() {
  const t = useMessages("frame");
  const loggedIn = useLoggedIn();
  const user = useUser();
  return (
    <nav className="bar" aria-label={t("shortcuts")}>
      <HomeLink>
        <Theater className="icon" />
        {t("home")}
      </HomeLink>
      <NavLink to={paths.search}>
        <Search className="icon" />
        {t("search")}
      </NavLink>
      <CreateMenu
        side="top"
        trigger={
          <button type="button" aria-label={t("create")}>
            <span className="make">
              <Plus className="icon" />
            </span>
          </button>
        }
      />
      <NavLink to={paths.chats}>
        <MessageCircle className="icon" />
        {t("chats")}
      </NavLink>
      {loggedIn && user ? (
        <NavLink to={paths.creator(user.username)}>
          <User className="icon" />
          {t("you")}
        </NavLink>
      ) : (
        <NavLink to={paths.login}>
          <LogIn className="icon" />
          {t("login")}
        </NavLink>
      )}
    </nav>
  );
}
