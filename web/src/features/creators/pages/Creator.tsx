import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Trophy } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { ApiError } from "@/shared/api/errors";
import type { User } from "@/shared/api/types";
import { useBlockOf } from "@/shared/blocks";
import { characterList, listFailure } from "@/shared/catalog/lists";
import { useTitle } from "@/shared/hooks/useTitle";
import { paths } from "@/shared/paths";
import { useNavigate, useParams, useSearchParams } from "@/shared/router";
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
import { useMessages } from "../i18n";
import "../creators.css";

function Characters({ creator, own }: { creator: User; own: boolean }) {
  const t = useMessages("creator");
  const list = useInfiniteQuery(characterList("characters/tag/me", { creator: creator._id }));
  const blocked = useBlockOf("creator", creator._id);
  if (blocked) return <Blocked block={blocked} />;
  return (
    <CharacterGrid
      list={list}
      more="button"
      failure={(error) => listFailure(error)}
      empty={
        <Empty title={t("empty")} action={<ButtonLink to={paths.createCharacter}>{t("create")}</ButtonLink>}>
          {t(own ? "emptyOwn" : "emptyOther", { name: creator.username })}
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
  const t = useMessages("creator");
  const [params, setParams] = useSearchParams();
  const items = [
    tab("characters", t("characters"), <Characters creator={creator} own={own} />),
    tab(
      "followers",
      t("followers"),
      <People
        kind="followers"
        creatorId={creator._id}
        count={creator.followerCount}
        empty={<Empty title={t("noFollowers")}>{t("noFollowersText")}</Empty>}
      />,
    ),
    tab(
      "following",
      t("following"),
      <People
        kind="following"
        creatorId={creator._id}
        empty={
          <Empty title={t("followsNobody")}>
            {t(own ? "followsNobodyOwn" : "followsNobodyOther", { name: creator.username })}
          </Empty>
        }
      />,
    ),
    tab(
      "achievements",
      t("achievements"),
      <p className="note">
        <Trophy className="icon" />
        {t("achievementsSoon")}
      </p>,
    ),
  ];
  const asked = params.get("tab");
  const open = items.some((item) => item.value === asked) ? asked : null;
  return (
    <Tabs
      label={t("about", { name: creator.username })}
      items={items}
      value={open ?? "characters"}
      onChange={(value) => setParams(value === "characters" ? {} : { tab: value }, { replace: true })}
    />
  );
}

export default function Creator() {
  const t = useMessages("creator");
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
        <div className="grid tab-text" role="status" aria-label={t("loading")}>
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
          title={t("nobody")}
          action={
            <Button look="lit" onClick={() => void navigate(-1)}>
              {t("goBack")}
            </Button>
          }
        >
          {t("nobodyText", { name: username })}
        </Empty>
      );
    }
    return <Failure page message={t("failed")} onRetry={() => void refetch()} />;
  }
  const own = me?._id === creator._id;
  return (
    <>
      <Head creator={creator} own={own} />
      <CreatorTabs key={creator._id} creator={creator} own={own} />
    </>
  );
}
