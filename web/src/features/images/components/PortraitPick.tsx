import { useInfiniteQuery } from "@tanstack/react-query";
import { UserRound } from "lucide-react";
import type { Image } from "@/shared/api/types";
import { allCharacters, characterList, listFailure } from "@/shared/catalog/lists";
import { sized } from "@/shared/media";
import { paths } from "@/shared/paths";
import { useUser } from "@/shared/store";
import { toast } from "@/shared/toast";
import { Button, ButtonLink, Failure } from "@/shared/ui";
import { nameOf, useMakePortrait } from "../api";

const BONES = ["first", "second", "third", "fourth"];

/** One's own characters, to give one of them this picture. */
export function PortraitPick({ image, onDone }: { image: Image; onDone: () => void }) {
  const user = useUser();
  const list = useInfiniteQuery({
    ...characterList("characters/tag/me", { creator: user?._id }),
    enabled: user !== null,
  });
  const make = useMakePortrait();
  const characters = allCharacters(list.data);

  if (list.isPending) {
    return (
      <div className="portrait-pick" role="status" aria-label="Loading characters">
        {BONES.map((key) => (
          <span className="portrait-bone bone" key={key} />
        ))}
      </div>
    );
  }
  if (list.isError && characters.length === 0) {
    return <Failure message={listFailure(list.error)} onRetry={() => void list.refetch()} />;
  }
  if (characters.length === 0) {
    return (
      <>
        <p className="text-2">There is no character of yours yet to wear it.</p>
        <div className="row">
          <ButtonLink look="lit" to={paths.createCharacter}>
            Create a Character
          </ButtonLink>
        </div>
      </>
    );
  }
  return (
    <>
      <p className="text-2">{nameOf(image)} takes the place of the portrait they have.</p>
      <ul className="portrait-pick">
        {characters.map((character) => (
          <li key={character._id}>
            <button
              type="button"
              disabled={make.isPending}
              onClick={() =>
                make.mutate(
                  { id: image._id, characterId: character._id },
                  {
                    onSuccess: () => {
                      toast.success(`${character.name} wears it now.`);
                      onDone();
                    },
                  },
                )
              }
            >
              <span className="portrait-art">
                {character.imageUrl ? (
                  <img
                    src={sized(character.imageUrl, "thumb")}
                    alt=""
                    width={240}
                    height={320}
                    loading="lazy"
                  />
                ) : (
                  <UserRound className="icon l" strokeWidth={1} />
                )}
              </span>
              {character.name}
            </button>
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Load More
        </Button>
      )}
    </>
  );
}
