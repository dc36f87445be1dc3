import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { characterList } from "@/shared/catalog/lists";
import { DEFAULT_SORT, SORTS, type SortLabel, searchSort } from "@/shared/catalog/sorts";
import { MAX_SEARCH_TAGS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { CharacterGrid, Empty, SelectMenu, TagChips } from "@/shared/ui";

const LABELS = SORTS.map((sort) => sort.label);

/** For members: everyone on the house's books, by order and tag. */
export function Explore() {
  const [sort, setSort] = useState<SortLabel>(DEFAULT_SORT);
  const [tags, setTags] = useState<string[]>([]);
  const list = useInfiniteQuery(characterList("search", { sort: searchSort(sort), tags }));
  return (
    <section className="section" aria-labelledby="explore">
      <div className="section-head">
        <h2 id="explore">Explore</h2>
        <div className="end">
          <SelectMenu label="Sort by" value={sort} options={LABELS} onChange={setSort} />
        </div>
      </div>
      <TagChips chosen={tags} onChange={setTags} max={MAX_SEARCH_TAGS} />
      <div className="explore-grid">
        <CharacterGrid
          list={list}
          more="button"
          failure={() => "Failed to load characters. Please try again."}
          empty={<Empty title="It's a bit empty here">No one has all of these tags. Let one go.</Empty>}
        />
        <p className="explore-more">
          <Link className="link" to={paths.search}>
            discover new characters
          </Link>
        </p>
      </div>
    </section>
  );
}
