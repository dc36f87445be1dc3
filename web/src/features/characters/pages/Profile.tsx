import { ImagePlus } from "lucide-react";
import { useEffect } from "react";
import { useLocation, useParams, useSearchParams } from "react-router";
import { ApiError } from "@/shared/api/errors";
import type { CharacterCard, CharacterPage } from "@/shared/api/types";
import { useBlockOf } from "@/shared/blocks";
import { gelStyle } from "@/shared/gel";
import { useTitle } from "@/shared/hooks/useTitle";
import { paths } from "@/shared/paths";
import { useRoot } from "@/shared/store";
import { Blocked, ButtonLink, Empty, Failure, isCovered, NsfwCover, Tabs } from "@/shared/ui";
import { useCharacter } from "../api";
import { Memories } from "../components/Memories";
import { Poster } from "../components/Poster";
import { Reviews } from "../components/Reviews";
import { Summary } from "../components/Summary";
import "../character.css";

function ProfileSkeleton() {
  return (
    <div className="char" role="status" aria-label="Loading character">
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

const FIRST_TAB = "reviews";
const TABS = new Set([FIRST_TAB, "images", "memories"]);

/** Three ways to look at somebody; the address remembers which (`?tab=`). */
function ProfileTabs({ page, partial }: { page: CharacterPage; partial: boolean }) {
  const { character } = page;
  const { state } = useLocation();
  const [params, setParams] = useSearchParams();
  const asked = params.get("tab") ?? "";
  return (
    <Tabs
      label={`About ${character.name}`}
      value={TABS.has(asked) ? asked : FIRST_TAB}
      onChange={(tab) =>
        setParams(tab === FIRST_TAB ? {} : { tab }, { replace: true, preventScrollReset: true, state })
      }
      items={[
        {
          value: "reviews",
          label: <>Reviews {!partial && <span className="text-3 num">{character.reviewsCount}</span>}</>,
          content: partial ? <div className="reviews" aria-busy="true" /> : <Reviews character={character} />,
        },
        {
          value: "images",
          label: (
            <>
              AI Image Generator <small>Alpha</small>
            </>
          ),
          content: (
            <div className="tab-note">
              <ImagePlus className="icon l" />
              <p>
                Pictures of {character.name} from this page are in alpha. Until they open, the image page
                draws anyone you describe.
              </p>
              <ButtonLink to={paths.createImage}>Go to the image page</ButtonLink>
            </div>
          ),
        },
        {
          value: "memories",
          label: "Memories",
          content: <Memories character={character} />,
        },
      ]}
    />
  );
}

export default function Profile() {
  const id = useParams().id ?? "";
  const passed = (useLocation().state as { character?: CharacterCard } | null)?.character;
  const { data, isPending, error, isPlaceholderData, refetch } = useCharacter(id, passed);
  const blocked = useBlockOf("character", id);
  const nsfwOn = useRoot((state) => state.nsfw);
  const rememberCreator = useRoot((state) => state.rememberCreator);
  const character = data?.character;
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
        title="Nobody by that name"
        action={
          <ButtonLink look="lit" to={paths.search}>
            Search characters
          </ButtonLink>
        }
      >
        This character has left, or is not for everyone.
      </Empty>
    );
  }
  // A page that is here stays, with what is being written on it, where reading it again fails.
  if (!character) {
    return <Failure page message="Failed to load character data." onRetry={() => void refetch()} />;
  }
  if (isCovered(character, nsfwOn)) {
    return (
      <div className="char-covered">
        <h1 className="sr">NSFW character</h1>
        <NsfwCover character={character} />
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
        <ProfileTabs page={data} partial={isPlaceholderData} />
      </section>
    </>
  );
}
