import { useInfiniteQuery } from "@tanstack/react-query";
import { useUnblocked } from "@/shared/blocks";
import { allCharacters, characterList } from "@/shared/catalog/lists";
import { paths } from "@/shared/paths";
import { Link } from "@/shared/router";
import { useRoot } from "@/shared/store";
import { isCovered } from "@/shared/ui";
import { chatListOptions } from "../api";
import { useMessages } from "../i18n";
import { Tile } from "./Turn";

/** As many as stand beside a short list without outgrowing it. */
const FACES = 5;
const BONES = ["a", "b", "c", "d", "e"];

/** Whom For You would show and one has no chat with yet. Away where that is nobody, or cannot be read. */
export function NewFaces() {
  const t = useMessages("list");
  const nsfwOn = useRoot((state) => state.nsfw);
  const { data, isPending } = useInfiniteQuery(characterList("characters/foryou", { sort: "mostLiked" }));
  const { data: chats } = useInfiniteQuery(chatListOptions({ archived: false, words: "" }));
  const met = new Set(chats?.map(({ character }) => character._id));
  const faces = useUnblocked(allCharacters(data))
    .filter((character) => !isCovered(character, nsfwOn) && !met.has(character._id))
    .slice(0, FACES);
  if (!isPending && faces.length === 0) return null;
  return (
    <aside className="panel new-faces" aria-labelledby="new-faces" aria-busy={isPending}>
      <h2 id="new-faces">{t("newFaces")}</h2>
      {isPending
        ? BONES.map((key) => <span className="bone new-face-bone" key={key} />)
        : faces.map((character) => (
            <Link key={character._id} to={paths.character(character._id)} state={{ character }}>
              <Tile src={character.imageUrl} />
              <span>
                <b>{character.name}</b>
                <span>{character.description}</span>
              </span>
            </Link>
          ))}
    </aside>
  );
}
