import { Bell, Gavel, ImageIcon, ImageOff, type LucideIcon, Star, Tickets, UserPlus } from "lucide-react";
import type { Notification } from "@/shared/api/types";
import { ago, momentOf } from "@/shared/format";
import { useSpoken } from "@/shared/i18n";
import { paths, safeRedirect } from "@/shared/paths";
import { Link } from "@/shared/router";
import { useMessages } from "../i18n";
import { told } from "../told";

const ICONS: Readonly<Record<string, LucideIcon>> = {
  follower: UserPlus,
  review: Star,
  image_ready: ImageIcon,
  image_failed: ImageOff,
  subscription: Tickets,
  decision: Gavel,
};

/** Decisions stand with the reports, where one can appeal: at their number where the server gives it. */
function whereTo({ kind, link }: Notification): string | null {
  const safe = safeRedirect(link);
  return kind === "decision" && !safe?.startsWith(`${paths.reports}/`) ? paths.reports : safe;
}

interface NotificationItemProps {
  note: Notification;
  onRead: () => void;
}

/** A sentence of what has happened; it leads there, and is read once it was followed. */
export function NotificationItem({ note, onRead }: NotificationItemProps) {
  const t = useMessages("notes");
  const language = useSpoken((state) => state.language);
  const words = useMessages("told");
  // The house tells it in English.
  const ours = language === "en" ? note.text : told(note.text, words);
  const Icon = ICONS[note.kind] ?? Bell;
  const link = whereTo(note);
  const read = () => {
    if (!note.read) onRead();
  };
  const content = (
    <>
      <span className="note-icon">
        <Icon className="icon" />
      </span>
      <span className="note-text">
        {ours === null ? <span lang="en">{note.text}</span> : <span>{ours}</span>}
        <time className="hint num" dateTime={note.createdAt} title={momentOf(note.createdAt, language)}>
          {ago(note.createdAt, undefined, language)}
        </time>
      </span>
      {!note.read && <span className="badge note-new">{t("new")}</span>}
    </>
  );
  return (
    <li className={note.read ? "note-line" : "note-line unread"}>
      {link ? (
        <Link to={link} onClick={read}>
          {content}
        </Link>
      ) : (
        <button type="button" onClick={read} disabled={note.read}>
          {content}
        </button>
      )}
    </li>
  );
}
