import { useInfiniteQuery } from "@tanstack/react-query";
import { Hourglass, Lock, Pencil, Plus, Trash2 } from "lucide-react";
import type { CharacterCard } from "@/shared/api/types";
import { characterList, listFailure } from "@/shared/catalog/lists";
import { useDeleteCharacter } from "@/shared/deleted";
import { useTitle } from "@/shared/hooks/useTitle";
import { paths } from "@/shared/paths";
import { useUser } from "@/shared/store";
import { ButtonLink, CharacterGrid, Empty, IconButton } from "@/shared/ui";
import { Deleted } from "../components/Deleted";
import { useMessages } from "../i18n";
import "../listings.css";

/** Under a card of one's own: who sees it, and what can be done. */
function Actions({ character }: { character: CharacterCard }) {
  const t = useMessages("mine");
  const remove = useDeleteCharacter();
  return (
    <>
      {character.heldBecause ? (
        <>
          <span className="badge held-badge">
            <Hourglass className="icon s" />
            {t("held")}
          </span>
          <p className="held-why">{character.heldBecause}</p>
        </>
      ) : (
        !character.public && (
          <span className="badge held-badge">
            <Lock className="icon s" />
            {t("private")}
          </span>
        )
      )}
      <ButtonLink
        size="small"
        to={paths.editCharacter(character._id)}
        aria-label={t("editName", { name: character.name })}
      >
        <Pencil className="icon s" />
        {t("edit")}
      </ButtonLink>
      <IconButton
        small
        label={t("deleteName", { name: character.name })}
        onClick={() => void remove(character)}
      >
        <Trash2 className="icon s" />
      </IconButton>
    </>
  );
}

export default function MyCharacters() {
  const t = useMessages("mine");
  useTitle(t("title"));
  const user = useUser();
  const list = useInfiniteQuery({
    ...characterList("characters/tag/me", { creator: user?._id }),
    enabled: user !== null,
  });
  return (
    <>
      <header className="page-head split">
        <h1>{t("title")}</h1>
        <ButtonLink look="plum" to={paths.createCharacter}>
          <Plus className="icon s" />
          {t("create")}
        </ButtonLink>
      </header>
      <CharacterGrid
        list={list}
        more="button"
        failure={(error) => listFailure(error)}
        empty={
          <Empty
            title={t("none")}
            action={
              <ButtonLink look="lit" to={paths.createCharacter}>
                {t("createCharacter")}
              </ButtonLink>
            }
          >
            {t("noneText")}
          </Empty>
        }
        actions={(character) => <Actions character={character} />}
      />
      <Deleted />
    </>
  );
}
