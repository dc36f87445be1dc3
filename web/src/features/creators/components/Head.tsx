import { Check, EllipsisVertical, Flag, HandHeart, Plus, Settings, UserX } from "lucide-react";
import type { User } from "@/shared/api/types";
import { useBlock } from "@/shared/blocking";
import { shortCount } from "@/shared/brief";
import { dayOf } from "@/shared/format";
import { paths } from "@/shared/paths";
import { useReportQuestion } from "@/shared/report";
import { useLoggedIn, useUser } from "@/shared/store";
import { Avatar, Button, ButtonLink, IconButton, Menu, MenuItem } from "@/shared/ui";
import { useFollowCreator } from "../api";
import { useMessages } from "../i18n";
import { CreatorBadge } from "./CreatorBadge";

/** A link that somebody wrote goes out only where it is a web address. */
function webAddress(link: string | null): string | null {
  return link && /^https?:\/\//i.test(link) ? link : null;
}

function More({ creator }: { creator: User }) {
  const t = useMessages("head");
  const block = useBlock();
  const report = useReportQuestion((state) => state.ask);
  const { _id, username } = creator;
  return (
    <Menu
      align="start"
      trigger={
        <IconButton label={t("more", { name: username })} outlined>
          <EllipsisVertical className="icon" />
        </IconButton>
      }
    >
      <MenuItem onSelect={() => report({ kind: "user", id: _id, name: username })}>
        <Flag className="icon s" />
        {t("report")}
      </MenuItem>
      <MenuItem onSelect={() => void block({ kind: "creator", target: _id, label: username })}>
        <UserX className="icon s" />
        {t("block", { name: username })}
      </MenuItem>
    </Menu>
  );
}

function Follow({ creator }: { creator: User }) {
  const t = useMessages("head");
  const me = useUser();
  const follow = useFollowCreator(creator);
  const following = me?.followedCreators.some((followed) => followed._id === creator._id) ?? false;
  return (
    <Button
      look={following ? "line" : "lit"}
      aria-pressed={following}
      busy={follow.isPending}
      onClick={() => follow.mutate()}
    >
      {following ? <Check className="icon s" /> : <Plus className="icon s" />}
      {t(following ? "unfollow" : "follow")}
    </Button>
  );
}

/** Who somebody is, how many follow them, and what can be done. */
export function Head({ creator, own }: { creator: User; own: boolean }) {
  const t = useMessages("head");
  const me = useUser();
  const loggedIn = useLoggedIn();
  const sponsor = webAddress(creator.sponsorMeLink);
  return (
    <header className="person">
      <Avatar name={creator.username} src={creator.pfp} size="huge" />
      <div>
        <div className="person-name">
          <h1>{creator.username}</h1>
          {creator.badge && <CreatorBadge />}
        </div>
        {own && me?.email && <p className="text-3">{me.email}</p>}
        {(creator.bio || own) && <p className="person-bio">{creator.bio || t("noBio")}</p>}
        <dl className="person-counts num">
          <div>
            <dd>{shortCount(creator.followerCount)}</dd>
            <dt>{t("followers", { count: creator.followerCount })}</dt>
          </div>
          <div>
            <dd>{shortCount(creator.characters)}</dd>
            <dt>{t("characters", { count: creator.characters })}</dt>
          </div>
        </dl>
        <p className="person-since num">{t("since", { day: dayOf(creator.createdAt) })}</p>
        <div className="person-cta">
          {own ? (
            <>
              <ButtonLink to={paths.myCharacters}>{t("mine")}</ButtonLink>
              <ButtonLink to={paths.account}>
                <Settings className="icon s" />
                {t("account")}
              </ButtonLink>
              <ButtonLink to={paths.reports}>
                <Flag className="icon s" />
                {t("reports")}
              </ButtonLink>
            </>
          ) : (
            loggedIn && <Follow creator={creator} />
          )}
          {sponsor && (
            <a className="btn line" href={sponsor} target="_blank" rel="noopener noreferrer nofollow ugc">
              <HandHeart className="icon s" />
              {t("sponsor", { name: creator.username })}
            </a>
          )}
          {loggedIn && !own && <More creator={creator} />}
        </div>
      </div>
    </header>
  );
}

/** The head of somebody who has not arrived, as tall as most. */
export function HeadSkeleton({ username, pfp }: { username: string; pfp: string | null | undefined }) {
  return (
    <header className="person" aria-busy="true">
      <Avatar name={username} src={pfp} size="huge" />
      <div>
        <h1>{username}</h1>
        <div className="person-bones">
          <span className="bone w-92" />
          <span className="bone w-60" />
        </div>
      </div>
    </header>
  );
}
