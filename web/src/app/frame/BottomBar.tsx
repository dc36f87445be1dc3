import { LogIn, MessageCircle, Plus, Search, Theater, User } from "lucide-react";
import { NavLink } from "react-router";
import { paths } from "@/shared/paths";
import { useLoggedIn, useUser } from "@/shared/store";
import { CreateMenu } from "./CreateMenu";

/** The bar at the foot of a phone. */
export function BottomBar() {
  const loggedIn = useLoggedIn();
  const user = useUser();
  return (
    <nav className="bar" aria-label="Shortcuts">
      <NavLink to={paths.home} end>
        <Theater className="icon" />
        Home
      </NavLink>
      <NavLink to={paths.search}>
        <Search className="icon" />
        Search
      </NavLink>
      <CreateMenu
        side="top"
        trigger={
          <button type="button" aria-label="Create">
            <span className="make">
              <Plus className="icon" />
            </span>
          </button>
        }
      />
      <NavLink to={paths.chats}>
        <MessageCircle className="icon" />
        Chats
      </NavLink>
      {loggedIn && user ? (
        <NavLink to={paths.creator(user.username)}>
          <User className="icon" />
          You
        </NavLink>
      ) : (
        <NavLink to={paths.login}>
          <LogIn className="icon" />
          Login
        </NavLink>
      )}
    </nav>
  );
}
