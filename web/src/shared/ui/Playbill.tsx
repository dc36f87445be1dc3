import { Gem, UserRound } from "lucide-react";
import type { ReactNode } from "react";
import type { CharacterCard } from "../api/types";
import { cut } from "../brief";
import { CARD_DESCRIPTION_CHARS, SKELETON_CARDS } from "../limits";
import { CARD_SIZES, fitted } from "../media";
import { Link } from "../router";
import { useRoot } from "../store";
import { BillMeta } from "./BillMeta";
import { NsfwCover } from "./NsfwCover";

interface PlaybillProps {
  character: CharacterCard;
  /** Under the card: Edit and Delete on one's own. */
  actions?: ReactNode;
  /** In view at once: the picture does not wait for its turn. */
  eager?: boolean;
  /** The largest thing a page opens with: its picture comes before all others. */
  first?: boolean;
}

/** Whether a card stays behind its curtain for this reader. */
export function isCovered(character: Pick<CharacterCard, "nsfw" | "locked">, nsfwOn: boolean): boolean {
  return character.locked || (character.nsfw && !nsfwOn);
}

/** A character's card: the whole art is the link. NSFW stays behind the curtain until the reader asks. */
export function Playbill({ character, actions, eager, first }: PlaybillProps) {
  const nsfwOn = useRoot((state) => state.nsfw);
  if (isCovered(character, nsfwOn)) return <NsfwCover character={character} actions={actions} />;
  const under = [character.age, `@${character.creator.username}`].filter(Boolean).join(" · ");
  return (
    <article className={character.deluxe ? "bill deluxe" : "bill"}>
      <Link className="bill-art" to={`/character/${character._id}`} state={{ character }}>
        {character.imageUrl ? (
          <img
            {...fitted(character.imageUrl, eager ? CARD_SIZES : `auto, ${CARD_SIZES}`)}
            alt=""
            width={480}
            height={640}
            loading={eager ? "eager" : "lazy"}
            fetchPriority={first ? "high" : undefined}
            decoding="async"
          />
        ) : (
          <UserRound className="bill-blank" strokeWidth={0.75} />
        )}
        {character.deluxe && (
          <span className="bill-flag">
            <Gem className="icon s" />
            Deluxe
          </span>
        )}
        <span className="bill-name">
          {character.name}
          <small>{under}</small>
        </span>
      </Link>
      <p className="bill-line">{cut(character.description, CARD_DESCRIPTION_CHARS)}</p>
      <BillMeta character={character} />
      {actions && <div className="bill-actions">{actions}</div>}
    </article>
  );
}

/** A card that has not arrived. */
export function PlaybillSkeleton() {
  return (
    <div className="bill skeleton" aria-hidden="true">
      <div className="bill-art" />
      <p className="bill-line">
        <span className="bone w-92" />
        <span className="bone w-60" />
      </p>
    </div>
  );
}

/** Twelve of them, for a grid that loads. */
export function PlaybillSkeletons({ count = SKELETON_CARDS }: { count?: number }) {
  return Array.from({ length: count }, (_, index) => `skeleton-${index}`).map((key) => (
    <PlaybillSkeleton key={key} />
  ));
}
