import { Bell as BellIcon } from "lucide-react";
import { useNotificationHints, useUnread } from "@/features/notifications";
import { useMessages } from "@/shared/i18n";
import { paths } from "@/shared/paths";
import { Link } from "@/shared/router";

/** More than this is only said to be more. */
const MOST_SHOWN = 99;

/** The way to the notifications, with the count of those that are unread. */
export function Bell() {
  useNotificationHints();
  const unread = useUnread();
  const t = useMessages("frame");
  return (
    <Link
      className="icon-btn bell"
      to={paths.notifications}
      aria-label={unread > 0 ? t("unread", { count: unread }) : t("notifications")}
    >
      <BellIcon className="icon" />
      {unread > 0 && (
        <span className="bell-count num" aria-hidden="true">
          {unread > MOST_SHOWN ? `${MOST_SHOWN}+` : unread}
        </span>
      )}
    </Link>
  );
}
