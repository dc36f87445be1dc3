import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef } from "react";
import type { CharacterCard, CharacterList } from "../api/types";
import { useUnblocked } from "../blocks";
import { allCharacters } from "../catalog/lists";
import { useMinLoading } from "../hooks/useMinLoading";
import { useNearEnd } from "../hooks/useNearEnd";
import { useMessages } from "../i18n";
import { MIN_LOADING_MS } from "../limits";
import { askForCard } from "../media";
import { useRoot } from "../store";
import { Button } from "./Button";
import { Failure } from "./Empty";
import { isCovered, Playbill, PlaybillSkeleton, PlaybillSkeletons } from "./Playbill";

interface CharacterGridProps {
  list: UseInfiniteQueryResult<InfiniteData<CharacterList>>;
  /** The sentence for a list that did not load. */
  failure: (error: unknown) => string;
  empty: ReactNode;
  /** How the next page comes: by reaching the end, or by a Load More button. */
  more?: "scroll" | "button";
  /** Wait before the next page is fetched on scrolling, ms. */
  delayMs?: number;
  minLoadingMs?: number;
  /** Buttons under each card. */
  actions?: (character: CharacterCard) => ReactNode;
  /** After the last card. */
  end?: ReactNode;
}

/** Cards whose picture comes before all others, even before its place stands: the largest thing a phone opens with. */
const FIRST = 1;
/** Placeholders after the last card while a page is under way. */
const TAIL = 4;

/** A list of characters with all its states: loading, failed, empty, more to come, done. */
export function CharacterGrid({
  list,
  failure,
  empty,
  more = "scroll",
  delayMs = 0,
  minLoadingMs = MIN_LOADING_MS,
  actions,
  end,
}: CharacterGridProps) {
  const t = useMessages("ui");
  const loading = useMinLoading(list.isPending, minLoadingMs);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const waitsForScroll =
    more === "scroll" && list.hasNextPage && !list.isFetchingNextPage && !list.isFetchNextPageError;
  const nearEnd = useNearEnd(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void list.fetchNextPage(), delayMs);
  }, waitsForScroll);

  const characters = useUnblocked(allCharacters(list.data));
  const nsfwOn = useRoot((state) => state.nsfw);
  if (loading) {
    // The placeholders stay for a moment more than it may take; the first picture comes meanwhile.
    for (const character of characters.slice(0, FIRST)) {
      if (character.imageUrl && !isCovered(character, nsfwOn)) askForCard(character.imageUrl);
    }
    return (
      <div className="grid" role="status" aria-label={t("loadingCharacters")}>
        <PlaybillSkeletons />
      </div>
    );
  }
  if (list.isError && characters.length === 0) {
    return <Failure message={failure(list.error)} onRetry={() => void list.refetch()} />;
  }
  if (characters.length === 0 && !list.hasNextPage) return empty;
  return (
    <>
      <div className="grid">
        {characters.map((character, index) => (
          <Playbill
            key={character._id}
            character={character}
            actions={actions?.(character)}
            eager={index < FIRST}
            first={index < FIRST}
          />
        ))}
        {list.isFetchingNextPage &&
          Array.from({ length: TAIL }, (_, index) => `tail-${index}`).map((key) => (
            <PlaybillSkeleton key={key} />
          ))}
      </div>
      <div className="list-end" ref={nearEnd}>
        {list.isFetchNextPageError ? (
          <>
            <p role="alert">{failure(list.error)}</p>
            <Button onClick={() => void list.fetchNextPage()}>{t("tryAgain")}</Button>
          </>
        ) : list.hasNextPage ? (
          more === "button" && (
            <Button size="big" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
              {t("loadMore")}
            </Button>
          )
        ) : (
          end
        )}
      </div>
    </>
  );
}
