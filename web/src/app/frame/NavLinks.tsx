import {
  Drama,
  Heart,
  Hourglass,
  Images,
  LayoutGrid,
  type LucideIcon,
  MessageCircle,
  Sparkles,
  Theater,
  Tickets,
  Trophy,
  User,
  UserPlus,
  VenetianMask,
} from "lucide-react";
import type { ReactNode } from "react";
import { tagName, visibleTags } from "@/shared/catalog/tags";
import { useMessages } from "@/shared/i18n";
import { isHome, paths } from "@/shared/paths";
import { Link, NavLink, useLocation } from "@/shared/router";
import { useLoggedIn, useUser } from "@/shared/store";

function Item({ to, icon: Icon, children }: { to: string; icon: LucideIcon; children: string }) {
  return (
    <NavLink to={to}>
      <Icon className="icon" />
      {children}
    </NavLink>
  );
}

/** The home page has two addresses, and is current at both. */
export function HomeLink({ children }: { children: ReactNode }) {
  const { pathname } = useLocation();
  return (
    <Link to={paths.home} aria-current={isHome(pathname) ? "page" : undefined}>
      {children}
    </Link>
  );
}

/** The groups of the side navigation: for everyone, 'You' for members, and 'Explore' with every tag. */
export function NavLinks() {
  const t = useMessages("frame");
  const loggedIn = useLoggedIn();
  const user = useUser();
  return (
    <>
      <div className="nav-group">
        <HomeLink>
          <Theater className="icon" />
          {t("home")}
        </HomeLink>
        <Item to={paths.following} icon={UserPlus}>
          {t("following")}
        </Item>
        <Item to={paths.topCreators} icon={Trophy}>
          {t("topCreators")}
        </Item>
        <Item to={paths.membership} icon={Tickets}>
          {t("membership")}
        </Item>
      </div>
      {loggedIn && user && (
        <div className="nav-group">
          <h2>{t("you")}</h2>
          <Item to={paths.forYou} icon={Sparkles}>
            {t("forYou")}
          </Item>
          <Item to={paths.creator(user.username)} icon={User}>
            {t("profile")}
          </Item>
          <Item to={paths.chats} icon={MessageCircle}>
            {t("chats")}
          </Item>
          <Item to={paths.personas} icon={VenetianMask}>
            {t("personas")}
          </Item>
          <Item to={paths.myCharacters} icon={Drama}>
            {t("characters")}
          </Item>
          <Item to={paths.myImages} icon={Images}>
            {t("images")}
          </Item>
          <Item to={paths.favorites} icon={Heart}>
            {t("favorites")}
          </Item>
        </div>
      )}
      {loggedIn && user?.roles?.includes("admin") && (
        <div className="nav-group">
          <h2>{t("house")}</h2>
          <Item to={paths.admin} icon={Hourglass}>
            {t("waiting")}
          </Item>
        </div>
      )}
      <div className="nav-group">
        <h2>{t("explore")}</h2>
        <Item to={paths.categories} icon={LayoutGrid}>
          {t("categories")}
        </Item>
        <div className="tags">
          {visibleTags(loggedIn).map((tag) => (
            <NavLink key={tag} to={paths.tag(tag)}>
              {tagName(tag)}
            </NavLink>
          ))}
        </div>
      </div>
    </>
  );
}
