import { useInfiniteQuery } from "@tanstack/react-query";
import { LogOut, MessageCircle, Search, Theater } from "lucide-react";
import { brand } from "@/brand";
import { useMessages as useHouseMessages } from "@/shared/i18n";
import { paths } from "@/shared/paths";
import { Link, useNavigate } from "@/shared/router";
import { signOut } from "@/shared/signOut";
import { Logo } from "@/shared/ui";
import { chatsOptions } from "../api";
import { useMessages } from "../i18n";
import { Tile } from "./Turn";

/** Other chats within reach of the thumb. */
const SHOWN_CHATS = 6;

/** The house's navigation and the way out of it, folded to the width of a wing. */
export function MiniRail({ chatId }: { chatId: string | undefined }) {
  const t = useMessages("talk");
  const navigate = useNavigate();
  const house = useHouseMessages("frame");
  const { data: chats = [] } = useInfiniteQuery(chatsOptions);
  return (
    <nav className="mini" aria-label={t("main")}>
      <Link className="mark" to={paths.home} aria-label={t("logo", { brand: brand.name })}>
        <Logo />
      </Link>
      <Link className="item" to={paths.home}>
        <Theater className="icon" />
        {t("home")}
      </Link>
      <Link className="item" to={paths.search}>
        <Search className="icon" />
        {t("search")}
      </Link>
      <Link className="item" to={paths.chats} aria-current="page">
        <MessageCircle className="icon" />
        {t("chats")}
      </Link>
      <hr />
      <div className="mini-chats">
        {chats.slice(0, SHOWN_CHATS).map(({ _id, character, title }) => (
          <Link
            key={_id}
            className={_id === chatId ? "mini-chat on" : "mini-chat"}
            to={paths.chat(character._id, { chat: _id })}
            aria-label={title ? `${character.name}, ${title}` : character.name}
            title={title ? `${character.name}, ${title}` : character.name}
            aria-current={_id === chatId ? "true" : undefined}
          >
            <Tile src={character.imageUrl} />
          </Link>
        ))}
      </div>
      <button type="button" className="item" onClick={() => void signOut(navigate)}>
        <LogOut className="icon" />
        {house("signOut")}
      </button>
    </nav>
  );
}
