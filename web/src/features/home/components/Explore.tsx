import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { characterList } from "@/shared/catalog/lists";
import { DEFAULT_SORT, type SortName, searchSort } from "@/shared/catalog/sorts";
import { MAX_SEARCH_TAGS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { Link } from "@/shared/router";
import { CharacterGrid, Empty, SortMenu, TagChips } from "@/shared/ui";
import { useMessages } from "../i18n";

/** For members: everyone on the house's books, by order and tag. */
export function Explore() {
  const t = useMessages("explore");
  const row = useMessages("row");
  const [sort, setSort] = useState<SortName>(DEFAULT_SORT);
  const [tags, setTags] = useState<string[]>([]);
  const list = useInfiniteQuery(characterList("search", { sort: searchSort(sort), tags }));
  return (
    <section className="section" aria-labelledby="explore">
      <div className="section-head">
        <h2 id="explore">{t("title")}</h2>
        <div className="end">
          <SortMenu value={sort} onChange={setSort} />
        </div>
      </div>
      <TagChips chosen={tags} onChange={setTags} max={MAX_SEARCH_TAGS} />
      <div className="explore-grid">
        <CharacterGrid
          list={list}
          more="button"
          failure={() => row("failed")}
          empty={<Empty title={t("none")}>{t("noneText")}</Empty>}
        />
        <p className="explore-more">
          <Link className="link" to={paths.search}>
            {t("discover")}
          </Link>
        </p>
      </div>
    </section>
  );
}
