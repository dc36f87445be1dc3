import { useInfiniteQuery } from "@tanstack/react-query";
import { Check, ChevronDown, Plus } from "lucide-react";
import type { ChatSummary } from "@/shared/api/types";
import { cut } from "@/shared/brief";
import { paths } from "@/shared/paths";
import { useNavigate } from "@/shared/router";
import { Menu, MenuItem } from "@/shared/ui";
import { chatListOptions } from "../api";
import { useMessages } from "../i18n";
import { flat } from "../prose";
import { useTimes } from "../useTimes";

interface ChatSwitcherProps {
  chatId: string;
  characterId: string;
  title: string | null;
  onNew: () => void;
}

/** The other chats with this character. Says nothing while there is but one without a title. */
export function ChatSwitcher({ chatId, characterId, title, onNew }: ChatSwitcherProps) {
  const t = useMessages("talk");
  const { ago, dayOf } = useTimes();
  const navigate = useNavigate();
  const { data: here = [] } = useInfiniteQuery(chatListOptions({ character: characterId }));
  /** A chat among several with the same character. */
  const nameOf = (chat: ChatSummary) => chat.title ?? t("begun", { day: dayOf(chat.createdAt) });
  const current = here.find(({ _id }) => _id === chatId);
  if (here.length < 2 && !title) return null;
  return (
    <Menu
      align="start"
      trigger={
        <button type="button" className="switcher">
          <span className="sr">{t("switcher")}</span>
          <span className="switcher-name">{title ?? (current ? nameOf(current) : t("chats"))}</span>
          <ChevronDown className="icon s" />
        </button>
      }
    >
      {here.map((chat) => (
        <MenuItem key={chat._id} onSelect={() => void navigate(paths.chat(characterId, { chat: chat._id }))}>
          <span className="menu-check">{chat._id === chatId && <Check className="icon s" />}</span>
          <span className="switcher-item">
            <b>{nameOf(chat)}</b>
            <span>
              {ago(chat.lastMessageAt)}
              {chat.lastMessage && `: ${cut(flat(chat.lastMessage.content), 36)}`}
            </span>
          </span>
        </MenuItem>
      ))}
      <MenuItem onSelect={onNew}>
        <span className="menu-check">
          <Plus className="icon s" />
        </span>
        {t("newChat")}
      </MenuItem>
    </Menu>
  );
}
