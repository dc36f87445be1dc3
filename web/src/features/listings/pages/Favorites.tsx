import { useInfiniteQuery } from "@tanstack/react-query";
import { characterList, listFailure } from "@/shared/catalog/lists";
import { MIN_LOADING_SLOW_MS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { ButtonLink, CharacterGrid, Empty } from "@/shared/ui";

export default function Favorites() {
  const list = useInfiniteQuery(characterList("characters/followed"));
  return (
    <>
      <header className="page-head">
        <h1>Favorites</h1>
        <p>The characters you follow.</p>
      </header>
      <CharacterGrid
        list={list}
        more="button"
        minLoadingMs={MIN_LOADING_SLOW_MS}
        failure={(error) => listFailure(error)}
        empty={
          <Empty
            title="It's a bit empty here"
            action={
              <ButtonLink look="lit" to={paths.search}>
                Find someone
              </ButtonLink>
            }
          >
            Follow a character on their page, and they keep a seat for you here.
          </Empty>
        }
      />
    </>
  );
}
