import { lazy, useDeferredValue, useEffect } from "react";
import { ApiError } from "@/shared/api/errors";
import type { CharacterCard } from "@/shared/api/types";
import { useBlockOf } from "@/shared/blocks";
import { gelStyle } from "@/shared/gel";
import { useTitle } from "@/shared/hooks/useTitle";
import { whenIdle } from "@/shared/idle";
import { paths } from "@/shared/paths";
import { useLocation, useParams } from "@/shared/router";
import { useRoot } from "@/shared/store";
import { Blocked, ButtonLink, Empty, Failure, isCovered, NsfwCover } from "@/shared/ui";
import { Optional } from "@/shared/ui/Optional";
import { useCharacter } from "../api";
import { Poster } from "../components/Poster";
import { Summary } from "../components/Summary";
import { useMessages } from "../i18n";
import "../character.css";

function ProfileSkeleton() {
  const t = useMessages("profile");
  return (
    <div className="char" role="status" aria-label={t("loading")}>
      <div className="char-poster bill skeleton">
        <div className="bill-art" />
      </div>
      <div className="char-bones">
        <span className="bone tall" />
        <span className="bone w-60" />
        <span className="bone w-92" />
        <span className="bone w-92" />
        <span className="bone w-60" />
      </div>
    </div>
  );
}

/** What lies below, with the code of tabs and of a form: it comes once the portrait is there, and not in its way. */
const ProfileTabs = lazy(async () => {
  await new Promise<void>((idle) => whenIdle(idle));
  const { ProfileTabs } = await import("../components/ProfileTabs");
  return { default: ProfileTabs };
});

/** Keeps the footer where it will be. */
const WAITING = <div className="tabs-wait" />;
const stay = () => undefined;

export default function Profile() {
  const t = useMessages("profile");
  const id = useParams().id ?? "";
  const passed = (useLocation().state as { character?: CharacterCard } | null)?.character;
  const { data, isPending, error, isPlaceholderData, refetch } = useCharacter(id, passed);
  const blocked = useBlockOf("character", id);
  const nsfwOn = useRoot((state) => state.nsfw);
  const rememberCreator = useRoot((state) => state.rememberCreator);
  const character = data?.character;
  // Who it is comes first; what lies below may take its time.
  const below = useDeferredValue(data, undefined);
  useTitle(character?.locked ? null : character?.name);

  useEffect(() => {
    if (character && !isPlaceholderData) rememberCreator(character.creator);
  }, [character, isPlaceholderData, rememberCreator]);

  if (blocked) return <Blocked page block={blocked} />;
  if (isPending) return <ProfileSkeleton />;
  if (error instanceof ApiError && error.status === 404) {
    return (
      <Empty
        page
        title={t("nobody")}
        action={
          <ButtonLink look="lit" to={paths.search}>
            {t("search")}
          </ButtonLink>
        }
      >
        {t("nobodyText")}
      </Empty>
    );
  }
  // A page that is here stays, with what is being written on it, where reading it again fails.
  if (!character) {
    return <Failure page message={t("failed")} onRetry={() => void refetch()} />;
  }
  if (isCovered(character, nsfwOn)) {
    return (
      <div className="char char-covered">
        <NsfwCover character={character} />
        <header className="char-hidden">
          <h1>{t("covered")}</h1>
          <p>{t("coveredText")}</p>
          <ButtonLink to={paths.search}>{t("others")}</ButtonLink>
        </header>
      </div>
    );
  }
  return (
    <>
      <div className="char" style={gelStyle(character.gel)}>
        <div className="gel" />
        <Poster character={character} />
        <Summary page={data} partial={isPlaceholderData} />
      </div>
      <section className="section">
        {below && below.character._id === character._id ? (
          <Optional fallback={WAITING} onLost={stay}>
            <ProfileTabs page={below} partial={isPlaceholderData} />
          </Optional>
        ) : (
          WAITING
        )}
      </section>
    </>
  );
}
