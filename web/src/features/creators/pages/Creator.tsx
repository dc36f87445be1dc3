import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Trophy } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { useNavigate, useParams, useSearchParams } from "react-router";
import { ApiError } from "@/shared/api/errors";
import type { User } from "@/shared/api/types";
import { useBlockOf } from "@/shared/blocks";
import { characterList, listFailure } from "@/shared/catalog/lists";
import { useTitle } from "@/shared/hooks/useTitle";
import { paths } from "@/shared/paths";
import { useRoot, useUser } from "@/shared/store";
import {
  Blocked,
  Button,
  ButtonLink,
  CharacterGrid,
  Empty,
  Failure,
  PlaybillSkeletons,
  Tabs,
} from "@/shared/ui";
import { creatorOptions } from "../api";
import { Head, HeadSkeleton } from "../components/Head";
import { People } from "../components/People";
import "../creators.css";

function Characters({ creator, own }: { creator: User; own: boolean }) {
  const list = useInfiniteQuery(characterList("characters/tag/me", { creator: creator._id }));
  const blocked = useBlockOf("creator", creator._id);
  if (blocked) return <Blocked block={blocked} />;
  return (
    <CharacterGrid
      list={list}
      more="button"
      failure={(error) => listFailure(error)}
      empty={
        <Empty
          title="It's a bit empty here"
          action={<ButtonLink to={paths.createCharacter}>Create a Character</ButtonLink>}
        >
          {own
            ? "Nobody of yours has walked on yet."
            : `${creator.username} has nobody on stage yet. You could.`}
        </Empty>
      }
    />
  );
}

const tab = (value: string, label: string, content: ReactNode) => ({
  value,
  label,
  content: <div className="tab-text">{content}</div>,
});

/** Four ways to look at somebody; the address remembers which (`?tab=`). */
function CreatorTabs({ creator, own }: { creator: User; own: boolean }) {
  const [params, setParams] = useSearchParams();
  const items = [
    tab("characters", "Characters", <Characters creator={creator} own={own} />),
    tab(
      "followers",
      "Followers",
      <People
        kind="followers"
        creatorId={creator._id}
        count={creator.followerCount}
        empty={<Empty title="No followers yet">An empty house is only a quiet one.</Empty>}
      />,
    ),
    tab(
      "following",
      "Following",
      <People
        kind="following"
        creatorId={creator._id}
        empty={
          <Empty title="Follows nobody yet">
            {own ? "Follow a creator on their page." : `${creator.username} keeps their own counsel.`}
          </Empty>
        }
      />,
    ),
    tab(
      "achievements",
      "Achievements",
      <p className="note">
        <Trophy className="icon" />
        Achievements are coming soon.
      </p>,
    ),
  ];
  const asked = params.get("tab");
  const open = items.some((item) => item.value === asked) ? asked : null;
  return (
    <Tabs
      label={`About ${creator.username}`}
      items={items}
      value={open ?? "characters"}
      onChange={(value) =>
        setParams(value === "characters" ? {} : { tab: value }, { replace: true, preventScrollReset: true })
      }
    />
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
      <>
        <HeadSkeleton username={username} pfp={remembered?.pfp} />
        <div className="tabs tabs-bone" />
        <div className="grid tab-text" role="status" aria-label="Loading characters">
          <PlaybillSkeletons />
        </div>
      </>
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
      <CreatorTabs key={creator._id} creator={creator} own={own} />
    </>
  );
}
