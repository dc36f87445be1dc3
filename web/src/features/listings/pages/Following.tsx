import { useInfiniteQuery } from "@tanstack/react-query";
import { characterList } from "@/shared/catalog/lists";
import { FEED_SORTS, feedSort, type SortLabel } from "@/shared/catalog/sorts";
import { useSort } from "@/shared/hooks/useSort";
import { paths } from "@/shared/paths";
import { useUser } from "@/shared/store";
import { ButtonLink, CharacterGrid, Empty, SelectMenu } from "@/shared/ui";
import { Cast } from "../components/Cast";
import "../listings.css";

const FEED_DEFAULT: SortLabel = "Popular";

export default function Following() {
  const [sort, setSort] = useSort(FEED_DEFAULT);
  const user = useUser();
  const list = useInfiniteQuery(characterList("characters/random-from-followed", { sort: feedSort(sort) }));
  return (
    <>
      <header className="page-head split">
        <div>
          <h1>Following</h1>
          <p>Characters by the creators you follow.</p>
        </div>
        <SelectMenu label="Sort by" value={sort} options={FEED_SORTS} onChange={setSort} />
      </header>
      {user && <Cast user={user} />}
      <CharacterGrid
        list={list}
        more="button"
        failure={() => "Failed to load characters. Please try again."}
        empty={
          <Empty
            title="It's a bit empty here"
            action={
              <ButtonLink look="lit" to={paths.topCreators}>
                Meet the creators
              </ButtonLink>
            }
          >
            Follow a creator, and what they write appears here.
          </Empty>
        }
        end="You have seen everything from the creators you follow."
      />
    </>
  );
}
