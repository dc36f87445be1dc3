import { useInfiniteQuery } from "@tanstack/react-query";
import { EyeOff } from "lucide-react";
import { useBlock } from "@/shared/blocking";
import { useBlockOf } from "@/shared/blocks";
import { characterList, listFailure } from "@/shared/catalog/lists";
import { listSort } from "@/shared/catalog/sorts";
import { tagName } from "@/shared/catalog/tags";
import { useSort } from "@/shared/hooks/useSort";
import { useTitle } from "@/shared/hooks/useTitle";
import { TAG_FETCH_DELAY_MS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { useParams } from "@/shared/router";
import { useLoggedIn } from "@/shared/store";
import { Blocked, Button, ButtonLink, CharacterGrid, Empty, Lock, Locked, SortMenu } from "@/shared/ui";
import { useMessages } from "../i18n";
import "../listings.css";

export default function TagListing() {
  const t = useMessages("tag");
  const tag = (useParams().tag ?? "").toLowerCase();
  const title = t("title", { tag: tagName(tag) });
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
          title={t("none")}
          action={
            <ButtonLink look="lit" to={loggedIn ? paths.createCharacter : paths.login}>
              {t("create")}
            </ButtonLink>
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
      <header className="page-head split">
        <h1>{title}</h1>
        <div className="head-tools">
          {loggedIn && !blocked && (
            <Button
              look="quiet"
              onClick={() => void block({ kind: "tag", target: tag, label: tagName(tag) })}
            >
              <EyeOff className="icon s" />
              {t("block")}
            </Button>
          )}
          <SortMenu value={sort} onChange={setSort} />
        </div>
      </header>
      {blocked ? (
        <Blocked block={blocked} />
      ) : loggedIn ? (
        results
      ) : (
        <Locked behind={results}>
          <Lock>{t("locked")}</Lock>
        </Locked>
      )}
    </>
  );
}
