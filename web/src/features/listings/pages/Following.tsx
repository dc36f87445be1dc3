import { useInfiniteQuery } from "@tanstack/react-query";
import { FEED_SORTS, type SortLabel } from "@/shared/catalog/sorts";
import { useSort } from "@/shared/hooks/useSort";
import { paths } from "@/shared/paths";
import { useUser } from "@/shared/store";
import { ButtonLink, CharacterGrid, Empty, SelectMenu } from "@/shared/ui";
import { followedFeed } from "../feed";

const FEED_DEFAULT: SortLabel = "Popular";

export default function Following() {
  const [sort, setSort] = useSort(FEED_DEFAULT);
  const followed = useUser()?.followedCreators ?? [];
  const list = useInfiniteQuery(
    followedFeed(
      followed.map((creator) => creator._id),
      sort,
    ),
  );
  return (
    <>
      <header className="page-head split">
        <div>
          <h1>Following</h1>
          <p>Characters by the creators you follow.</p>
        </div>
        <SelectMenu label="Sort by" value={sort} options={FEED_SORTS} onChange={setSort} />
      </header>
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
