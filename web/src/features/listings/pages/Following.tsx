import { useInfiniteQuery } from "@tanstack/react-query";
import { characterList } from "@/shared/catalog/lists";
import { FEED_SORTS, feedSort, type SortName } from "@/shared/catalog/sorts";
import { useSort } from "@/shared/hooks/useSort";
import { useTitle } from "@/shared/hooks/useTitle";
import { paths } from "@/shared/paths";
import { useUser } from "@/shared/store";
import { ButtonLink, CharacterGrid, Empty, SortMenu } from "@/shared/ui";
import { Cast } from "../components/Cast";
import { useMessages } from "../i18n";
import "../listings.css";

const FEED_DEFAULT: SortName = "Popular";

export default function Following() {
  const t = useMessages("following");
  useTitle(t("title"));
  const [sort, setSort] = useSort(FEED_DEFAULT);
  const user = useUser();
  const list = useInfiniteQuery(characterList("characters/random-from-followed", { sort: feedSort(sort) }));
  return (
    <>
      <header className="page-head split">
        <div>
          <h1>{t("title")}</h1>
          <p>{t("lead")}</p>
        </div>
        <SortMenu value={sort} sorts={FEED_SORTS} onChange={setSort} />
      </header>
      {user && <Cast user={user} />}
      <CharacterGrid
        list={list}
        more="button"
        failure={() => t("failed")}
        empty={
          <Empty
            title={t("none")}
            action={
              <ButtonLink look="lit" to={paths.topCreators}>
                {t("meet")}
              </ButtonLink>
            }
          >
            {t("noneText")}
          </Empty>
        }
        end={t("end")}
      />
    </>
  );
}
