import { Info, LogIn, LogOut, UserPlus, X } from "lucide-react";
import { useEffect, useRef } from "react";
import { useVeil } from "@/shared/hooks/useVeil";
import { useMessages } from "@/shared/i18n";
import { paths } from "@/shared/paths";
import { Link, useLocation, useNavigate } from "@/shared/router";
import { signOut } from "@/shared/signOut";
import { useLoggedIn } from "@/shared/store";
import { IconButton } from "@/shared/ui";
import { CreateMenuLinks } from "./DrawerCreate";
import { NavLinks } from "./NavLinks";

/** The whole navigation on a phone, from the side, for as long as it is there. A native dialog, as all our modals are. */
export function Drawer({ onClose }: { onClose: () => void }) {
  const t = useMessages("frame");
  const ref = useRef<HTMLDialogElement>(null);
  const loggedIn = useLoggedIn();
  const navigate = useNavigate();
  const { key } = useLocation();
  const opened = useRef(key);
  const veil = useVeil(onClose);

  useEffect(() => {
    const dialog = ref.current;
    if (!dialog) return;
    const before = document.activeElement;
    const { pathname } = globalThis.location;
    if (!dialog.open) dialog.showModal();
    return () => {
      dialog.close();
      // Back to the button; after a link was followed, to the new page, which could not take the focus before.
      const next = pathname === globalThis.location.pathname ? before : document.getElementById("main");
      if (next instanceof HTMLElement) next.focus({ preventScroll: true });
    };
  }, []);

  // Following a link closes it.
  useEffect(() => {
    if (opened.current !== key) onClose();
    opened.current = key;
  }, [key, onClose]);

  return (
    <dialog
      ref={ref}
      className="drawer"
      aria-label={t("menu")}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      {...veil}
    >
      <div className="drawer-in">
        <div className="drawer-head">
          <span className="label">{t("menu")}</span>
          <IconButton label={t("close")} onClick={onClose}>
            <X className="icon" />
          </IconButton>
        </div>
        <nav className="nav" aria-label={t("allPages")}>
          <CreateMenuLinks />
          <div className="nav-group">
            <Link to={paths.about}>
              <Info className="icon" />
              {t("about")}
            </Link>
            {loggedIn ? (
              <button
                type="button"
                className="nav-out"
                onClick={() => {
                  onClose();
                  void signOut(navigate);
                }}
              >
                <LogOut className="icon" />
                {t("signOut")}
              </button>
            ) : (
              <>
                <Link to={paths.login}>
                  <LogIn className="icon" />
                  {t("login")}
                </Link>
                <Link to={paths.signup}>
                  <UserPlus className="icon" />
                  {t("signUp")}
                </Link>
              </>
            )}
          </div>
          <NavLinks />
        </nav>
      </div>
    </dialog>
  );
}
