import { useInfiniteQuery } from "@tanstack/react-query";
import { EyeOff } from "lucide-react";
import { useParams } from "react-router";
import { useBlock } from "@/shared/blocking";
import { useBlockOf } from "@/shared/blocks";
import { characterList, listFailure } from "@/shared/catalog/lists";
import { listSort, SORTS } from "@/shared/catalog/sorts";
import { tagName } from "@/shared/catalog/tags";
import { useSort } from "@/shared/hooks/useSort";
import { useTitle } from "@/shared/hooks/useTitle";
import { TAG_FETCH_DELAY_MS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { useLoggedIn } from "@/shared/store";
import { Blocked, Button, ButtonLink, CharacterGrid, Empty, Lock, Locked, SelectMenu } from "@/shared/ui";
import "../listings.css";

const LABELS = SORTS.map((sort) => sort.label);

export default function TagListing() {
  const tag = (useParams().tag ?? "").toLowerCase();
  const title = `${tagName(tag)} AI Characters for Roleplay Chat`;
  useTitle(title);
  const loggedIn = useLoggedIn();
  const [sort, setSort] = useSort();
  const list = useInfiniteQuery(
    characterList(`characters/tag/${encodeURIComponent(tag)}`, { sort: listSort(sort) }),
  );
  const blocked = useBlockOf("tag", tag);
  const block = useBlock();
  const results = (
    <CharacterGrid
      list={list}
      more={loggedIn ? "scroll" : "button"}
      delayMs={TAG_FETCH_DELAY_MS}
      failure={(error) => listFailure(error)}
      empty={
        <Empty
          title="It's a bit empty here"
          action={
            <ButtonLink look="lit" to={loggedIn ? paths.createCharacter : paths.login}>
              Create a Character
            </ButtonLink>
          }
        >
          No one has this tag yet. The stage is yours.
        </Empty>
      }
      end="That is everyone under this tag."
    />
  );
  return (
    <>
      <header className="page-head split">
        <h1>{title}</h1>
        <div className="head-tools">
          {loggedIn && !blocked && (
            <Button
              look="quiet"
              onClick={() => void block({ kind: "tag", target: tag, label: tagName(tag) })}
            >
              <EyeOff className="icon s" />
              Block this tag
            </Button>
          )}
          <SelectMenu label="Sort by" value={sort} options={LABELS} onChange={setSort} />
        </div>
      </header>
      {blocked ? (
        <Blocked block={blocked} />
      ) : loggedIn ? (
        results
      ) : (
        <Locked behind={results}>
          <Lock>An account opens every list. It takes a minute and no card.</Lock>
        </Locked>
      )}
    </>
  );
}
