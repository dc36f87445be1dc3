import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Check, Plus, Settings, Trophy } from "lucide-react";
import { useEffect } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { ApiError } from "@/shared/api/errors";
import type { FollowerItem, User } from "@/shared/api/types";
import { characterList, listFailure } from "@/shared/catalog/lists";
import { plural, shortCount } from "@/shared/format";
import { useTitle } from "@/shared/hooks/useTitle";
import { paths } from "@/shared/paths";
import { useLoggedIn, useRoot, useUser } from "@/shared/store";
import { Avatar, Button, ButtonLink, CharacterGrid, Empty, Failure, Tabs } from "@/shared/ui";
import { creatorOptions, useFollowCreator } from "../api";
import "../creators.css";

function Characters({ creator, own }: { creator: User; own: boolean }) {
  const list = useInfiniteQuery(characterList("characters/tag/me", { creator: creator._id }));
  return (
    <CharacterGrid
      list={list}
      more="button"
      failure={(error) => listFailure(error)}
      empty={
        <Empty
          title="It's a bit empty here"
          action={
            <ButtonLink look="lit" to={paths.createCharacter}>
              Create a Character
            </ButtonLink>
          }
        >
          {own
            ? "Nobody of yours has walked on yet."
            : `${creator.username} has nobody on stage yet. You could.`}
        </Empty>
      }
    />
  );
}

function People({ people }: { people: readonly FollowerItem[] }) {
  return (
    <ul className="people">
      {people.map((person) => (
        <li key={person._id}>
          <Link to={paths.creator(person.username)}>
            <Avatar name={person.username} src={person.pfp} />
            {person.username}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** The profile carries the newest followers; how many more there are is said in words. */
function Followers({ creator }: { creator: User }) {
  const more = creator.followerCount - creator.followers.length;
  if (creator.followerCount === 0)
    return <Empty title="No followers yet">An empty house is only a quiet one.</Empty>;
  return (
    <>
      <People people={creator.followers} />
      {more > 0 && (
        <p className="list-end">
          {creator.followers.length > 0 ? "and " : ""}
          {plural(more, creator.followers.length > 0 ? "other" : "follower")}
        </p>
      )}
    </>
  );
}

function Head({ creator, own }: { creator: User; own: boolean }) {
  const me = useUser();
  const loggedIn = useLoggedIn();
  const follow = useFollowCreator(creator);
  const following = me?.followedCreators.some((followed) => followed._id === creator._id) ?? false;
  return (
    <header className="person">
      <Avatar name={creator.username} src={creator.pfp} size="huge" />
      <div>
        <h1>{creator.username}</h1>
        {own && me?.email && <p className="text-3">{me.email}</p>}
        <p className="person-bio">
          {creator.bio || (own ? "Say something about yourself in your account." : "")}
        </p>
        <dl className="person-counts num">
          <div>
            <dd>{shortCount(creator.followerCount)}</dd>
            <dt>{creator.followerCount === 1 ? "follower" : "followers"}</dt>
          </div>
          <div>
            <dd>{shortCount(creator.characters)}</dd>
            <dt>{creator.characters === 1 ? "character" : "characters"}</dt>
          </div>
        </dl>
        <div className="person-cta">
          {own ? (
            <>
              <ButtonLink to={paths.myCharacters}>My characters</ButtonLink>
              <ButtonLink to={paths.account}>
                <Settings className="icon s" />
                Account
              </ButtonLink>
            </>
          ) : (
            loggedIn && (
              <Button
                look={following ? "line" : "lit"}
                aria-pressed={following}
                busy={follow.isPending}
                onClick={() => follow.mutate()}
              >
                {following ? <Check className="icon s" /> : <Plus className="icon s" />}
                {following ? "Unfollow" : "Follow"}
              </Button>
            )
          )}
        </div>
      </div>
    </header>
  );
}

export default function Creator() {
  const username = useParams().username ?? "";
  const navigate = useNavigate();
  const me = useUser();
  const remembered = useRoot((state) => state.creators.find((c) => c.username === username));
  const rememberCreator = useRoot((state) => state.rememberCreator);
  const { data: creator, isPending, error, refetch } = useQuery(creatorOptions(username));
  useTitle(username);

  useEffect(() => {
    if (creator) rememberCreator({ _id: creator._id, username: creator.username, pfp: creator.pfp });
  }, [creator, rememberCreator]);

  if (isPending) {
    return (
      <header className="person" aria-busy="true">
        <Avatar name={username} src={remembered?.pfp} size="huge" />
        <div>
          <h1>{username}</h1>
          <span className="bone w-60" />
        </div>
      </header>
    );
  }
  if (!creator) {
    if (error instanceof ApiError && error.status === 404) {
      return (
        <Empty
          page
          title="Nobody by that name"
          action={
            <Button look="lit" onClick={() => void navigate(-1)}>
              Go back
            </Button>
          }
        >
          There is no {username} here, or not any more.
        </Empty>
      );
    }
    return <Failure page message="Failed to load profile data." onRetry={() => void refetch()} />;
  }
  const own = me?._id === creator._id;
  return (
    <>
      <Head creator={creator} own={own} />
      <Tabs
        key={creator._id}
        label={`About ${creator.username}`}
        items={[
          {
            value: "characters",
            label: "Characters",
            content: (
              <div className="tab-text">
                <Characters creator={creator} own={own} />
              </div>
            ),
          },
          {
            value: "followers",
            label: "Followers",
            content: (
              <div className="tab-text">
                <Followers creator={creator} />
              </div>
            ),
          },
          {
            value: "following",
            label: "Following",
            content: (
              <div className="tab-text">
                {creator.followedCreators.length > 0 ? (
                  <People people={creator.followedCreators} />
                ) : (
                  <Empty title="Follows nobody yet">
                    {own ? "Follow a creator on their page." : `${creator.username} keeps their own counsel.`}
                  </Empty>
                )}
              </div>
            ),
          },
          {
            value: "achievements",
            label: "Achievements",
            content: (
              <div className="tab-text">
                <p className="note">
                  <Trophy className="icon" />
                  Achievements are coming soon.
                </p>
              </div>
            ),
          },
        ]}
      />
    </>
  );
}
