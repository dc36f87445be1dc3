import { useInfiniteQuery } from "@tanstack/react-query";
import { Search as SearchIcon, X } from "lucide-react";
import { useEffect, useState } from "react";
import { useSearchParams } from "react-router";
import { characterList, listFailure } from "@/shared/catalog/lists";
import { SORTS, searchSort } from "@/shared/catalog/sorts";
import { useSort } from "@/shared/hooks/useSort";
import { useLoggedIn } from "@/shared/store";
import { CharacterGrid, Empty, IconButton, Lock, Locked, SelectMenu, TagChips } from "@/shared/ui";

const LABELS = SORTS.map((sort) => sort.label);
/** Typing rests this long before the list is asked, ms. */
const TYPING_REST_MS = 300;

/** The words in the box follow the address, and the address follows the words once typing rests. */
function useKeywords(): [string, string, (words: string) => void] {
  const [params, setParams] = useSearchParams();
  const asked = params.get("keywords") ?? "";
  const [words, setWords] = useState(asked);
  const [seen, setSeen] = useState(asked);
  if (seen !== asked) {
    setSeen(asked);
    setWords(asked);
  }
  useEffect(() => {
    const next = words.trim();
    if (next === asked) return;
    const timer = setTimeout(
      () =>
        setParams(
          (before) => {
            const changed = new URLSearchParams(before);
            if (next) changed.set("keywords", next);
            else changed.delete("keywords");
            return changed;
          },
          { replace: true, preventScrollReset: true },
        ),
      TYPING_REST_MS,
    );
    return () => clearTimeout(timer);
  }, [words, asked, setParams]);
  return [words, asked, setWords];
}

export default function Search() {
  const loggedIn = useLoggedIn();
  const [words, keywords, setWords] = useKeywords();
  const [sort, setSort] = useSort();
  const [params, setParams] = useSearchParams();
  const tags = (params.get("tags") ?? "").split(",").filter(Boolean);
  const setTags = (chosen: string[]) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        if (chosen.length > 0) next.set("tags", chosen.join(","));
        else next.delete("tags");
        return next;
      },
      { replace: true, preventScrollReset: true },
    );
  const list = useInfiniteQuery(
    characterList("search", { sort: searchSort(sort), tags: tags.map((t) => t.toLowerCase()), keywords }),
  );
  const results = (
    <CharacterGrid
      list={list}
      more={loggedIn ? "scroll" : "button"}
      failure={(error) => listFailure(error)}
      empty={
        <Empty title="Nobody answers to that">
          Try fewer words, or let a tag go. Names, tags and moods all count.
        </Empty>
      }
      end="That is everyone."
    />
  );
  return (
    <>
      <header className="page-head">
        <h1>Search</h1>
      </header>
      <search className="search-bar">
        <div className="with-icon">
          <SearchIcon className="icon" />
          <label className="sr" htmlFor="keywords">
            Keywords
          </label>
          <input
            className="input"
            id="keywords"
            type="text"
            inputMode="search"
            autoComplete="off"
            placeholder="A name, a tag, a mood"
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
          {words && (
            <IconButton label="Clear" onClick={() => setWords("")}>
              <X className="icon" />
            </IconButton>
          )}
        </div>
        <SelectMenu label="Sort by" value={sort} options={LABELS} onChange={setSort} />
      </search>
      <div className="search-tags">
        <TagChips chosen={tags} onChange={setTags} />
      </div>
      {loggedIn ? (
        <div className="search-results">{results}</div>
      ) : (
        <Locked behind={results}>
          <Lock>Searching is free with an account. It takes a minute and no card.</Lock>
        </Locked>
      )}
    </>
  );
}
