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
import { useMessages } from "../i18n";

const BONES = ["first", "second", "third", "fourth"];

/** One's own characters, to give one of them this picture. */
export function PortraitPick({ image, onDone }: { image: Image; onDone: () => void }) {
  const t = useMessages("portrait");
  const user = useUser();
  const list = useInfiniteQuery({
    ...characterList("characters/tag/me", { creator: user?._id }),
    enabled: user !== null,
  });
  const make = useMakePortrait();
  const characters = allCharacters(list.data);

  if (list.isPending) {
    return (
      <div className="portrait-pick" role="status" aria-label={t("loading")}>
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
        <p className="text-2">{t("none")}</p>
        <div className="row">
          <ButtonLink look="lit" to={paths.createCharacter}>
            {t("create")}
          </ButtonLink>
        </div>
      </>
    );
  }
  return (
    <>
      <p className="text-2">{t("replaces", { name: nameOf(image) })}</p>
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
                      toast.success(t("worn", { name: character.name }));
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
          {t("more")}
        </Button>
      )}
    </>
  );
}
