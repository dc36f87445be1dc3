import { useInfiniteQuery } from "@tanstack/react-query";
import { characterList, listFailure } from "@/shared/catalog/lists";
import { listSort, SORTS } from "@/shared/catalog/sorts";
import { useSort } from "@/shared/hooks/useSort";
import { MIN_LOADING_SLOW_MS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { ButtonLink, CharacterGrid, Empty, SelectMenu } from "@/shared/ui";

const LABELS = SORTS.map((sort) => sort.label);

export default function ForYou() {
  const [sort, setSort] = useSort();
  const list = useInfiniteQuery(characterList("characters/foryou", { sort: listSort(sort) }));
  const toSearch = (
    <ButtonLink look="line" to={paths.search}>
      Search characters
    </ButtonLink>
  );
  return (
    <>
      <header className="page-head split">
        <h1>For You</h1>
        <SelectMenu label="Sort by" value={sort} options={LABELS} onChange={setSort} />
      </header>
      <CharacterGrid
        list={list}
        more="button"
        minLoadingMs={MIN_LOADING_SLOW_MS}
        failure={(error) => listFailure(error, "recommended characters")}
        empty={
          <Empty title="It's a bit empty here">
            Nobody to suggest yet. Chat with someone, and this fills up.
          </Empty>
        }
        end="That is everyone for tonight."
      />
      {list.data && <p className="list-end">{toSearch}</p>}
    </>
  );
}
