import { useInfiniteQuery } from "@tanstack/react-query";
import { Hourglass, Pencil, Plus } from "lucide-react";
import { characterList, listFailure } from "@/shared/catalog/lists";
import { paths } from "@/shared/paths";
import { useUser } from "@/shared/store";
import { ButtonLink, CharacterGrid, Empty } from "@/shared/ui";

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
        actions={(character) => (
          <>
            {character.heldBecause && (
              <span className="badge" title={character.heldBecause}>
                <Hourglass className="icon s" />
                Waits for a look
              </span>
            )}
            <ButtonLink
              size="small"
              to={paths.editCharacter(character._id)}
              aria-label={`Edit ${character.name}`}
            >
              <Pencil className="icon s" />
              Edit
            </ButtonLink>
          </>
        )}
      />
    </>
  );
}
