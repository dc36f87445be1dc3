import type { ReactNode } from "react";
import type { CharacterCard } from "../api/types";
import { useMessages } from "../i18n";
import { useAgeQuestion } from "../nsfw";
import { useLocation, useNavigate } from "../router";
import { useLoggedIn, useUser } from "../store";
import { BillMeta } from "./BillMeta";
import { Button } from "./Button";

interface NsfwCoverProps {
  character: CharacterCard;
  actions?: ReactNode;
}

/** The closed curtain. Show asks a member for their age, and a visitor to log in. */
export function NsfwCover({ character, actions }: NsfwCoverProps) {
  const t = useMessages("ui");
  const loggedIn = useLoggedIn();
  const mine = useUser()?._id === character.creator._id;
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const ask = useAgeQuestion((state) => state.ask);
  return (
    <article className="bill covered" aria-label={t("covered")}>
      <div className="bill-art velvet">
        <span className="xxx">XXX</span>
        <Button
          size="small"
          className="on-velvet"
          aria-label={t("showName", { name: character.name })}
          onClick={() => {
            if (loggedIn) ask();
            else navigate("/login", { state: { redirectPath: pathname + search } });
          }}
        >
          {t("show")}
        </Button>
      </div>
      <p className="bill-line">
        {mine && <b className="bill-own">{character.name}</b>}
        {t(mine ? "coveredOwn" : loggedIn ? "coveredMember" : "coveredVisitor")}
      </p>
      <BillMeta character={character} />
      {actions && <div className="bill-actions">{actions}</div>}
    </article>
  );
}
