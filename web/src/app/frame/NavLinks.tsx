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
import { NavLink } from "react-router";
import { tagName, visibleTags } from "@/shared/catalog/tags";
import { paths } from "@/shared/paths";
import { useLoggedIn, useUser } from "@/shared/store";

function Item({
  to,
  icon: Icon,
  children,
  end,
}: {
  to: string;
  icon: LucideIcon;
  children: string;
  end?: boolean;
}) {
  return (
    <NavLink to={to} end={end}>
      <Icon className="icon" />
      {children}
    </NavLink>
  );
}

/** The groups of the side navigation: for everyone, 'You' for members, and 'Explore' with every tag. */
export function NavLinks() {
  const loggedIn = useLoggedIn();
  const user = useUser();
  return (
    <>
      <div className="nav-group">
        <Item to={paths.home} icon={Theater} end>
          Home
        </Item>
        <Item to={paths.following} icon={UserPlus}>
          Following
        </Item>
        <Item to={paths.topCreators} icon={Trophy}>
          Top Creators
        </Item>
        <Item to={paths.membership} icon={Tickets}>
          Membership
        </Item>
      </div>
      {loggedIn && user && (
        <div className="nav-group">
          <h2>You</h2>
          <Item to={paths.forYou} icon={Sparkles}>
            For You
          </Item>
          <Item to={paths.creator(user.username)} icon={User}>
            Profile
          </Item>
          <Item to={paths.chats} icon={MessageCircle}>
            Chats
          </Item>
          <Item to={paths.personas} icon={VenetianMask}>
            Personas
          </Item>
          <Item to={paths.myCharacters} icon={Drama}>
            Characters
          </Item>
          <Item to={paths.myImages} icon={Images}>
            Images
          </Item>
          <Item to={paths.favorites} icon={Heart}>
            Favorites
          </Item>
        </div>
      )}
      {loggedIn && user?.roles?.includes("admin") && (
        <div className="nav-group">
          <h2>House</h2>
          <Item to={paths.admin} icon={Hourglass}>
            Waiting for a look
          </Item>
        </div>
      )}
      <div className="nav-group">
        <h2>Explore</h2>
        <Item to={paths.categories} icon={LayoutGrid}>
          Categories
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
