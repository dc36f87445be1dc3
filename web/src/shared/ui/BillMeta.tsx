import { MessageCircle, ThumbsUp } from "lucide-react";
import type { CharacterCard } from "../api/types";
import { shortCount } from "../format";
import { useMessages } from "../i18n";
import { CardMenu } from "./CardMenu";

/** Under a card: how much it is played and liked, and what can be done about it. */
export function BillMeta({ character }: { character: CharacterCard }) {
  const t = useMessages("ui");
  return (
    <div className="bill-meta num">
      <span>
        <MessageCircle className="icon" />
        {shortCount(character.messages)}
        <span className="sr"> {t("messages")}</span>
      </span>
      <span>
        <ThumbsUp className="icon" />
        {shortCount(character.likes)}
        <span className="sr"> {t("likes")}</span>
      </span>
      <CardMenu character={character} />
    </div>
  );
}
