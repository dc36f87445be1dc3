import { ChevronDown, Menu as MenuIcon, Plus, Search } from "lucide-react";
import { lazy, useCallback, useEffect, useState } from "react";
import { brand } from "@/brand";
import { useMessages } from "@/shared/i18n";
import { paths } from "@/shared/paths";
import { Link, useNavigate } from "@/shared/router";
import { signOut } from "@/shared/signOut";
import { useLoggedIn, useUser } from "@/shared/store";
import { Avatar, Button, ButtonLink, IconButton, Logo } from "@/shared/ui";
import { Optional } from "@/shared/ui/Optional";
import { CreateMenu } from "./CreateMenu";

const Bell = lazy(() => import("./Bell").then((module) => ({ default: module.Bell })));
const Drawer = lazy(() => import("./Drawer").then((module) => ({ default: module.Drawer })));

/** Whether a key press is meant for something that takes text. */
const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** `/` leads to search from anywhere. */
function useSearchKey() {
  const navigate = useNavigate();
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      void navigate(paths.search);
    };
    globalThis.addEventListener("keydown", pressed);
    return () => globalThis.removeEventListener("keydown", pressed);
  }, [navigate]);
}

export function Header() {
  const t = useMessages("frame");
  useSearchKey();
  const loggedIn = useLoggedIn();
  const user = useUser();
  const navigate = useNavigate();
  const [drawer, setDrawer] = useState(false);
  const closeDrawer = useCallback(() => setDrawer(false), []);
  return (
    <header className="header">
      <Link className="logo" to={paths.home} aria-label={t("logo", { brand: brand.name })}>
        <Logo />
      </Link>
      <Link className="searchbox" to={paths.search}>
        <Search className="icon s" />
        <span>{t("searchCharacters")}</span>
        <kbd>/</kbd>
      </Link>
      <div className="header-actions">
        <Link className="icon-btn search-btn" to={paths.search} aria-label={t("search")}>
          <Search className="icon" />
        </Link>
        <ButtonLink look="quiet" className="about" to={paths.about}>
          {t("about")}
        </ButtonLink>
        {loggedIn ? (
          <Button look="quiet" className="login" onClick={() => void signOut(navigate)}>
            {t("signOut")}
          </Button>
        ) : (
          <>
            <ButtonLink look="quiet" className="login" to={paths.login}>
              {t("login")}
            </ButtonLink>
            <ButtonLink look="line" to={paths.signup}>
              {t("signUp")}
            </ButtonLink>
          </>
        )}
        <CreateMenu
          trigger={
            <Button look="plum" className="create">
              <Plus className="icon s" />
              {t("create")}
              <ChevronDown className="icon s" />
            </Button>
          }
        />
        {loggedIn && (
          <Optional fallback={<span className="icon-btn" />}>
            <Bell />
          </Optional>
        )}
        {loggedIn && user && (
          <Link
            className="icon-btn login"
            to={paths.creator(user.username)}
            aria-label={t("yourProfile", { name: user.username })}
          >
            <Avatar name={user.username} src={user.pfp} size="small" />
          </Link>
        )}
        <IconButton
          label={t("menu")}
          className="menu-btn"
          aria-expanded={drawer}
          onClick={() => setDrawer(true)}
        >
          <MenuIcon className="icon" />
        </IconButton>
      </div>
      {drawer && (
        <Optional onLost={closeDrawer}>
          <Drawer onClose={closeDrawer} />
        </Optional>
      )}
    </header>
  );
}
