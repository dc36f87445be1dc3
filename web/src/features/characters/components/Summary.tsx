import { Check, Heart, Image as ImageIcon, MessageCircle, Pencil, ThumbsDown, ThumbsUp } from "lucide-react";
import type { CharacterPage, Reaction } from "@/shared/api/types";
import { shortCount } from "@/shared/brief";
import { tagName } from "@/shared/catalog/tags";
import { dayOf, rating } from "@/shared/format";
import { paths } from "@/shared/paths";
import { Link, useNavigate } from "@/shared/router";
import { useLoggedIn, useUser } from "@/shared/store";
import { toast } from "@/shared/toast";
import { Avatar, Button, ButtonLink } from "@/shared/ui";
import { useFollowCharacter, useReact } from "../api";
import { useMessages } from "../i18n";
import { ExportMenu } from "./ExportMenu";
import { StateNote } from "./HeldNote";
import { MoreMenu } from "./MoreMenu";

interface SummaryProps {
  page: CharacterPage;
  /** Only the card is here yet; what the card does not know stays blank. */
  partial: boolean;
}

/** Everything beside the portrait: who, what, and what you can do with them. */
export function Summary({ page, partial }: SummaryProps) {
  const t = useMessages("summary");
  const { character, userReaction, isFollowing } = page;
  const loggedIn = useLoggedIn();
  const user = useUser();
  const navigate = useNavigate();
  const react = useReact(character._id);
  const follow = useFollowCharacter(character._id);
  const mine = user?._id === character.creator._id;

  const press = (reaction: Reaction) => {
    if (loggedIn) react.mutate(reaction);
    else void navigate(paths.login, { state: { redirectPath: paths.character(character._id) } });
  };
  return (
    <div>
      <h1>{character.name}</h1>
      <div className="byline">
        <Link className="who" to={paths.creator(character.creator.username)}>
          <Avatar name={character.creator.username} src={character.creator.pfp} size="small" />
          {character.creator.username}
        </Link>
        {character.age !== null && <span className="num">{t("age", { years: character.age })}</span>}
        <span className="byline-tools">
          <Button
            size="small"
            aria-pressed={isFollowing}
            busy={follow.isPending}
            disabled={partial && loggedIn}
            onClick={() => (loggedIn ? follow.mutate() : toast.info(t("loginToFollow")))}
          >
            {isFollowing ? <Check className="icon s" /> : <Heart className="icon s" />}
            {t(isFollowing ? "following" : "follow")}
          </Button>
          {mine && (
            <ButtonLink size="small" to={paths.editCharacter(character._id)} state={{ character }}>
              <Pencil className="icon s" />
              {t("edit")}
            </ButtonLink>
          )}
          {loggedIn && !partial && (mine || character.exportable) && <ExportMenu character={character} />}
          {loggedIn && <MoreMenu character={character} mine={mine} />}
        </span>
      </div>
      {mine && <StateNote character={character} />}
      <p className="char-desc">{character.description}</p>
      <div className="chips char-tags">
        {character.tags.map((tag) => (
          <Link key={tag} className="chip" to={paths.tag(tag.toLowerCase())}>
            {tagName(tag)}
          </Link>
        ))}
      </div>
      <div className="char-cta">
        <ButtonLink
          look="lit"
          size="big"
          to={paths.chat(character._id)}
          onClick={(event) => {
            if (loggedIn) return;
            event.preventDefault();
            toast.info(t("loginToChat"));
            void navigate(paths.login, { state: { redirectPath: paths.chat(character._id) } });
          }}
        >
          <MessageCircle className="icon" />
          {t("chat")}
        </ButtonLink>
        <ButtonLink look="line" size="big" to={paths.createImage}>
          <ImageIcon className="icon" />
          {t("pictures")}
        </ButtonLink>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would bring a legend; the group has a name. */}
        <div className="react" role="group" aria-label={t("reaction")}>
          <button
            type="button"
            aria-pressed={userReaction === "like"}
            aria-label={t("like", { count: shortCount(character.likes) })}
            onClick={() => press("like")}
          >
            <ThumbsUp className="icon" />
            <span className="num">{shortCount(character.likes)}</span>
          </button>
          <button
            type="button"
            aria-pressed={userReaction === "dislike"}
            aria-label={t("dislike", { count: shortCount(character.dislikes) })}
            onClick={() => press("dislike")}
          >
            <ThumbsDown className="icon" />
            <span className="num">{shortCount(character.dislikes)}</span>
          </button>
        </div>
      </div>
      <dl className="char-ledger num">
        <div>
          <dt>{t("messages")}</dt>
          <dd>{shortCount(character.messages)}</dd>
        </div>
        <div>
          <dt>{t("chats")}</dt>
          <dd>{shortCount(character.chats)}</dd>
        </div>
        <div>
          <dt>{t("followers")}</dt>
          <dd>{shortCount(character.followCount)}</dd>
        </div>
        <div>
          <dt>{t("reviews", { count: character.reviewsCount })}</dt>
          <dd>{partial ? "–" : (rating(character.averageRating, character.reviewsCount) ?? t("unrated"))}</dd>
        </div>
      </dl>
      <p className="dates num">
        <span>{t("published", { day: dayOf(character.createdAt) })}</span>
        <span>{t("updated", { day: dayOf(character.updatedAt) })}</span>
      </p>
    </div>
  );
}
