import { MessageCircle, ThumbsUp } from "lucide-react";
import type { CharacterCard } from "../api/types";
import { shortCount } from "../brief";
import { useMessages, useSpoken } from "../i18n";
import { CardMenu } from "./CardMenu";

/** Under a card: how much it is played and liked, and what can be done about it. */
export function BillMeta({ character }: { character: CharacterCard }) {
  const t = useMessages("ui");
  const language = useSpoken((state) => state.language);
  const { messages, likes } = character;
  return (
    <div className="bill-meta num">
      <span>
        <MessageCircle className="icon" />
        {shortCount(messages, language)}
        <span className="sr"> {t("messages", { count: messages })}</span>
      </span>
      <span>
        <ThumbsUp className="icon" />
        {shortCount(likes, language)}
        <span className="sr"> {t("likes", { count: likes })}</span>
      </span>
      <CardMenu character={character} />
    </div>
  );
}
