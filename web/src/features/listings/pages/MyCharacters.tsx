import { useInfiniteQuery } from "@tanstack/react-query";
import { Hourglass, Lock, Pencil, Plus, Trash2 } from "lucide-react";
import type { CharacterCard } from "@/shared/api/types";
import { characterList, listFailure } from "@/shared/catalog/lists";
import { useDeleteCharacter } from "@/shared/deleted";
import { paths } from "@/shared/paths";
import { useUser } from "@/shared/store";
import { ButtonLink, CharacterGrid, Empty, IconButton } from "@/shared/ui";
import { Deleted } from "../components/Deleted";
import "../listings.css";

/** Under a card of one's own: who sees it, and what can be done. */
function Actions({ character }: { character: CharacterCard }) {
  const remove = useDeleteCharacter();
  return (
    <>
      {character.heldBecause ? (
        <>
          <span className="badge held-badge">
            <Hourglass className="icon s" />
            Waits for a look
          </span>
          <p className="held-why">{character.heldBecause}</p>
        </>
      ) : (
        !character.public && (
          <span className="badge held-badge">
            <Lock className="icon s" />
            Only you see it
          </span>
        )
      )}
      <ButtonLink size="small" to={paths.editCharacter(character._id)} aria-label={`Edit ${character.name}`}>
        <Pencil className="icon s" />
        Edit
      </ButtonLink>
      <IconButton small label={`Delete ${character.name}`} onClick={() => void remove(character)}>
        <Trash2 className="icon s" />
      </IconButton>
    </>
  );
}

export default function MyCharacters() {
  const user = useUser();
  const list = useInfiniteQuery({
    ...characterList("characters/tag/me", { creator: user?._id }),
    enabled: user !== null,
  });
  return (
    <>
      <header className="page-head split">
        <h1>My characters</h1>
        <ButtonLink look="plum" to={paths.createCharacter}>
          <Plus className="icon s" />
          Create
        </ButtonLink>
      </header>
      <CharacterGrid
        list={list}
        more="button"
        failure={(error) => listFailure(error)}
        empty={
          <Empty
            title="It's a bit empty here"
            action={
              <ButtonLink look="lit" to={paths.createCharacter}>
                Create a Character
              </ButtonLink>
            }
          >
            Nobody of yours has walked on yet.
          </Empty>
        }
        actions={(character) => <Actions character={character} />}
      />
      <Deleted />
    </>
  );
}
