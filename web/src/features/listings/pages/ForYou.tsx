import { useInfiniteQuery } from "@tanstack/react-query";
import { characterList, listFailure } from "@/shared/catalog/lists";
import { listSort } from "@/shared/catalog/sorts";
import { useSort } from "@/shared/hooks/useSort";
import { useTitle } from "@/shared/hooks/useTitle";
import { MIN_LOADING_SLOW_MS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { ButtonLink, CharacterGrid, Empty, SortMenu } from "@/shared/ui";
import { useMessages } from "../i18n";

export default function ForYou() {
  const t = useMessages("forYou");
  useTitle(t("title"));
  const [sort, setSort] = useSort();
  const list = useInfiniteQuery(characterList("characters/foryou", { sort: listSort(sort) }));
  const toSearch = (
    <ButtonLink look="line" to={paths.search}>
      {t("search")}
    </ButtonLink>
  );
  return (
    <>
      <header className="page-head split">
        <h1>{t("title")}</h1>
        <SortMenu value={sort} onChange={setSort} />
      </header>
      <CharacterGrid
        list={list}
        more="button"
        minLoadingMs={MIN_LOADING_SLOW_MS}
        failure={(error) => listFailure(error, "recommended")}
        empty={<Empty title={t("none")}>{t("noneText")}</Empty>}
        end={t("end")}
      />
      {list.data && <p className="list-end">{toSearch}</p>}
    </>
  );
}
