import { ImagePlus } from "lucide-react";
import type { CharacterPage } from "@/shared/api/types";
import { paths } from "@/shared/paths";
import { useLocation, useSearchParams } from "@/shared/router";
import { ButtonLink, Tabs } from "@/shared/ui";
import { useMessages } from "../i18n";
import { Memories } from "./Memories";
import { Reviews } from "./Reviews";

const FIRST_TAB = "reviews";
const TABS = new Set([FIRST_TAB, "images", "memories"]);

/** Three ways to look at somebody; the address remembers which (`?tab=`). */
export function ProfileTabs({ page, partial }: { page: CharacterPage; partial: boolean }) {
  const t = useMessages("profile");
  const { character } = page;
  const { state } = useLocation();
  const [params, setParams] = useSearchParams();
  const asked = params.get("tab") ?? "";
  return (
    <Tabs
      label={t("about", { name: character.name })}
      value={TABS.has(asked) ? asked : FIRST_TAB}
      onChange={(tab) => setParams(tab === FIRST_TAB ? {} : { tab }, { replace: true, state })}
      items={[
        {
          value: "reviews",
          label: (
            <>
              {t("reviews")} {!partial && <span className="text-3 num">{character.reviewsCount}</span>}
            </>
          ),
          content: partial ? <div className="reviews" aria-busy="true" /> : <Reviews character={character} />,
        },
        {
          value: "images",
          label: t.rich("generator", { small: (text) => <small>{text}</small> }),
          content: (
            <div className="tab-note">
              <ImagePlus className="icon l" />
              <p>{t("generatorText", { name: character.name })}</p>
              <ButtonLink to={paths.createImage}>{t("toImages")}</ButtonLink>
            </div>
          ),
        },
        {
          value: "memories",
          label: t("memories"),
          content: <Memories character={character} />,
        },
      ]}
    />
  );
}
