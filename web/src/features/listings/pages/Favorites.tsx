import { useInfiniteQuery } from "@tanstack/react-query";
import { characterList, listFailure } from "@/shared/catalog/lists";
import { useTitle } from "@/shared/hooks/useTitle";
import { MIN_LOADING_SLOW_MS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { ButtonLink, CharacterGrid, Empty } from "@/shared/ui";
import { useMessages } from "../i18n";

export default function Favorites() {
  const t = useMessages("favorites");
  useTitle(t("title"));
  const list = useInfiniteQuery(characterList("characters/followed"));
  return (
    <>
      <header className="page-head">
        <h1>{t("title")}</h1>
        <p>{t("lead")}</p>
      </header>
      <CharacterGrid
        list={list}
        more="button"
        minLoadingMs={MIN_LOADING_SLOW_MS}
        failure={(error) => listFailure(error)}
        empty={
          <Empty
            title={t("none")}
            action={
              <ButtonLink look="lit" to={paths.search}>
                {t("find")}
              </ButtonLink>
            }
          >
            {t("noneText")}
          </Empty>
        }
      />
    </>
  );
}
