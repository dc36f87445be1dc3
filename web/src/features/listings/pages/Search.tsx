import { useInfiniteQuery } from "@tanstack/react-query";
import { Search as SearchIcon, X } from "lucide-react";
import { useEffect, useState } from "react";
import { characterList, type ListPage, listFailure } from "@/shared/catalog/lists";
import { searchSort } from "@/shared/catalog/sorts";
import { useSort } from "@/shared/hooks/useSort";
import { useTitle } from "@/shared/hooks/useTitle";
import { MAX_SEARCH_TAGS } from "@/shared/limits";
import { useSearchParams } from "@/shared/router";
import { useLoggedIn } from "@/shared/store";
import { Button, CharacterGrid, Empty, IconButton, Lock, Locked, SortMenu, TagChips } from "@/shared/ui";
import { useMessages } from "../i18n";
import "../listings.css";

/** How many answer, once they have been counted. */
function Found({ page }: { page: ListPage | undefined }) {
  const t = useMessages("search");
  const count = page?.total;
  return (
    <p className="found num" role="status">
      {count !== undefined && count > 0 && t(page?.totalCapped ? "foundMore" : "found", { count })}
    </p>
  );
}

/** Typing rests this long before the list is asked, ms. */
const TYPING_REST_MS = 300;

/** The words in the box follow the address, and the address follows the words once typing rests. */
function useKeywords(): [string, string, (words: string) => void] {
  const [params, setParams] = useSearchParams();
  const asked = params.get("keywords") ?? "";
  const [words, setWords] = useState(asked);
  const [seen, setSeen] = useState(asked);
  /** What the address was told from here and does not show yet. */
  const [told, setTold] = useState<string | null>(null);
  if (seen !== asked) {
    setSeen(asked);
    setTold(null);
    // Its own words come back without the space that is followed by the next one.
    if (asked !== told) setWords(asked);
  }
  useEffect(() => {
    const next = words.trim();
    if (next === asked) return;
    const timer = setTimeout(() => {
      setTold(next);
      setParams(
        (before) => {
          const changed = new URLSearchParams(before);
          if (next) changed.set("keywords", next);
          else changed.delete("keywords");
          return changed;
        },
        { replace: true },
      );
    }, TYPING_REST_MS);
    return () => clearTimeout(timer);
  }, [words, asked, setParams]);
  return [words, asked, setWords];
}

export default function Search() {
  const t = useMessages("search");
  useTitle(t("title"));
  const loggedIn = useLoggedIn();
  const [words, keywords, setWords] = useKeywords();
  const [sort, setSort] = useSort();
  const [params, setParams] = useSearchParams();
  const tags = (params.get("tags") ?? "").toLowerCase().split(",").filter(Boolean).slice(0, MAX_SEARCH_TAGS);
  const setTags = (chosen: string[]) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        if (chosen.length > 0) next.set("tags", chosen.join(","));
        else next.delete("tags");
        return next;
      },
      { replace: true },
    );
  const clear = () => {
    setWords("");
    setParams({}, { replace: true });
  };
  const list = useInfiniteQuery(characterList("search", { sort: searchSort(sort), tags, keywords }));
  const results = (
    <CharacterGrid
      list={list}
      more={loggedIn ? "scroll" : "button"}
      failure={(error) => listFailure(error)}
      empty={
        <Empty
          title={t("none")}
          action={
            (keywords !== "" || tags.length > 0) && (
              <Button look="lit" onClick={clear}>
                {t("everyone")}
              </Button>
            )
          }
        >
          {t("noneText")}
        </Empty>
      }
      end={t("end")}
    />
  );
  return (
    <>
      <header className="page-head">
        <h1>{t("title")}</h1>
      </header>
      <search className="search-bar">
        <div className="with-icon">
          <SearchIcon className="icon" />
          <label className="sr" htmlFor="keywords">
            {t("keywords")}
          </label>
          <input
            className="input"
            id="keywords"
            type="text"
            inputMode="search"
            autoComplete="off"
            placeholder={t("hint")}
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
          {words && (
            <IconButton label={t("clear")} onClick={() => setWords("")}>
              <X className="icon" />
            </IconButton>
          )}
        </div>
        <SortMenu value={sort} onChange={setSort} />
      </search>
      <div className="search-tags">
        <TagChips chosen={tags} onChange={setTags} max={MAX_SEARCH_TAGS} />
      </div>
      {loggedIn ? (
        <>
          <Found page={list.data?.pages[0]} />
          <div className="search-results">{results}</div>
        </>
      ) : (
        <Locked behind={results}>
          <Lock>{t("locked")}</Lock>
        </Locked>
      )}
    </>
  );
}
