import type { ReactNode } from "react";
import { useLocation, useNavigate } from "react-router";
import type { CharacterCard } from "../api/types";
import { useAgeQuestion } from "../nsfw";
import { useLoggedIn, useUser } from "../store";
import { BillMeta } from "./BillMeta";
import { Button } from "./Button";

interface NsfwCoverProps {
  character: CharacterCard;
  actions?: ReactNode;
}

/** The closed curtain. Show asks a member for their age, and a visitor to log in. */
export function NsfwCover({ character, actions }: NsfwCoverProps) {
  const loggedIn = useLoggedIn();
  const mine = useUser()?._id === character.creator._id;
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const ask = useAgeQuestion((state) => state.ask);
  return (
    <article className="bill covered" aria-label="NSFW character, hidden">
      <div className="bill-art velvet">
        <span className="xxx">XXX</span>
        <Button
          size="small"
          className="on-velvet"
          aria-label={`Show ${character.name}`}
          onClick={() => {
            if (loggedIn) ask();
            else navigate("/login", { state: { redirectPath: pathname + search } });
          }}
        >
          Show
        </Button>
      </div>
      <p className="bill-line">
        {mine && <b className="bill-own">{character.name}</b>}
        {mine
          ? "Hidden while NSFW is off."
          : loggedIn
            ? "Hidden while NSFW is off. Switching it on asks you to confirm your age."
            : "Hidden while NSFW is off. Log in to switch it on."}
      </p>
      <BillMeta character={character} />
      {actions && <div className="bill-actions">{actions}</div>}
    </article>
  );
}
