import { zodResolver } from "@hookform/resolvers/zod";
import {
  Archive,
  ArchiveRestore,
  Braces,
  Ellipsis,
  FileText,
  MessageCircle,
  Pencil,
  Pin,
  PinOff,
  Theater,
  Trash2,
} from "lucide-react";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { z } from "zod";
import type { ChatSummary } from "@/shared/api/types";
import { cut } from "@/shared/brief";
import { LAST_MESSAGE_CHARS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { Link } from "@/shared/router";
import { Button, Dialog, IconButton, Menu, MenuItem, TextField } from "@/shared/ui";
import { useMessages } from "../i18n";
import { flat } from "../prose";
import type { useShelf } from "../useShelf";
import { useTimes } from "../useTimes";
import { Tile } from "./Turn";

const MAX_TITLE = 100;
const schema = z.object({ title: z.string().trim().max(MAX_TITLE) });

interface ChatItemProps {
  chat: ChatSummary;
  shelf: ReturnType<typeof useShelf>;
}

/** What can be done with a chat of the list. */
function ItemMenu({ chat, shelf, onRename }: ChatItemProps & { onRename: () => void }) {
  const t = useMessages("list");
  const { _id: id, pinned, archived } = chat;
  return (
    <Menu
      trigger={
        <IconButton label={t("moreAbout", { name: chat.title ?? chat.character.name })}>
          <Ellipsis className="icon" />
        </IconButton>
      }
    >
      <MenuItem onSelect={onRename}>
        <Pencil className="icon s" />
        {t("rename")}
      </MenuItem>
      <MenuItem onSelect={() => shelf.change({ id, pinned: !pinned })}>
        {pinned ? <PinOff className="icon s" /> : <Pin className="icon s" />}
        {t(pinned ? "unpin" : "pin")}
      </MenuItem>
      <MenuItem onSelect={() => shelf.change({ id, archived: !archived })}>
        {archived ? <ArchiveRestore className="icon s" /> : <Archive className="icon s" />}
        {t(archived ? "bringBack" : "archive")}
      </MenuItem>
      <hr className="menu-line" />
      <MenuItem onSelect={() => shelf.takeAlong({ id, format: "markdown" })}>
        <FileText className="icon s" />
        {t("exportRead")}
      </MenuItem>
      <MenuItem onSelect={() => shelf.takeAlong({ id, format: "json" })}>
        <Braces className="icon s" />
        {t("exportAll")}
      </MenuItem>
      <MenuItem onSelect={() => shelf.takeAlong({ id, format: "sillytavern" })}>
        <Theater className="icon s" />
        {t("exportTavern")}
      </MenuItem>
      <hr className="menu-line" />
      <MenuItem onSelect={() => shelf.remove(id)}>
        <Trash2 className="icon s" />
        {t("delete")}
      </MenuItem>
    </Menu>
  );
}

function RenameDialog({ chat, shelf, onClose }: ChatItemProps & { onClose: () => void }) {
  const t = useMessages("list");
  const form = useForm({ resolver: zodResolver(schema), defaultValues: { title: chat.title ?? "" } });
  const keep = form.handleSubmit(({ title }) => {
    if (title !== (chat.title ?? "")) shelf.change({ id: chat._id, title });
    onClose();
  });
  return (
    <Dialog open onClose={onClose} title={t("renameTitle")}>
      <form className="rename" onSubmit={keep}>
        <TextField
          label={t("titleLabel")}
          maxLength={MAX_TITLE}
          placeholder={chat.character.name}
          hint={t("titleHint")}
          data-focus
          {...form.register("title")}
        />
        <div className="row">
          <Button onClick={onClose}>{t("cancel")}</Button>
          <Button look="lit" type="submit">
            {t("save")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

export function ChatItem({ chat, shelf }: ChatItemProps) {
  const t = useMessages("list");
  const { ago, count } = useTimes();
  const [renames, setRenames] = useState(false);
  const last = chat.lastMessage ? cut(flat(chat.lastMessage.content), LAST_MESSAGE_CHARS) : t("silent");
  return (
    <li className="chat-row">
      <Link className="chat-item" to={paths.chat(chat.character._id, { chat: chat._id })}>
        <Tile src={chat.character.imageUrl} />
        <span className="chat-item-text">
          <b>{chat.title ?? chat.character.name}</b>
          <span>
            {chat.title && <span className="text-3">{t("saidBy", { name: chat.character.name })}</span>}
            {last}
          </span>
        </span>
        <span className="chat-item-meta num">
          <time dateTime={chat.lastMessageAt}>{ago(chat.lastMessageAt)}</time>
          <span>
            {chat.pinned && (
              <>
                <Pin className="icon s" />
                <span className="sr">{t("pinned")}</span>
              </>
            )}
            <MessageCircle className="icon s" />
            {count(chat.messageCount)}
            <span className="sr"> {t("messages", { count: chat.messageCount })}</span>
          </span>
        </span>
      </Link>
      <ItemMenu chat={chat} shelf={shelf} onRename={() => setRenames(true)} />
      {renames && <RenameDialog chat={chat} shelf={shelf} onClose={() => setRenames(false)} />}
    </li>
  );
}
