import { useInfiniteQuery } from "@tanstack/react-query";
import { CheckCheck } from "lucide-react";
import { messageOf } from "@/shared/api/errors";
import { useTitle } from "@/shared/hooks/useTitle";
import { paths } from "@/shared/paths";
import { Button, ButtonLink, Empty, PagedList } from "@/shared/ui";
import { notificationsOptions, useUnread } from "../api";
import { NotificationItem } from "../components/NotificationItem";
import { useMessages } from "../i18n";
import { useMarkRead } from "../marking";
import "../notifications.css";

const BONES = ["a", "b", "c", "d", "e", "f"];

function List() {
  const t = useMessages("notes");
  const list = useInfiniteQuery(notificationsOptions);
  const markRead = useMarkRead();
  const notes = list.data?.pages.flatMap((page) => page.notifications) ?? [];
  return (
    <PagedList
      list={list}
      count={notes.length}
      className="notes"
      loading={t("loading")}
      bones={BONES.map((key) => <span className="bone note-bone" key={key} />)}
      failure={messageOf(list.error, t("failed"))}
      empty={
        <Empty
          title={t("none")}
          action={
            <ButtonLink look="lit" to={paths.forYou}>
              {t("who")}
            </ButtonLink>
          }
        >
          {t("noneText")}
        </Empty>
      }
    >
      <ul className="notes">
        {notes.map((note) => (
          <NotificationItem key={note._id} note={note} onRead={() => markRead.mutate([note._id])} />
        ))}
      </ul>
    </PagedList>
  );
}

export default function Notifications() {
  const t = useMessages("notes");
  useTitle(t("title"));
  const unread = useUnread();
  const markRead = useMarkRead();
  return (
    <>
      <header className="page-head split">
        <div>
          <h1>{t("title")}</h1>
          <p role="status" className="num">
            {unread > 0 ? t("unread", { count: unread }) : t("allSeen")}
          </p>
        </div>
        {unread > 0 && (
          <Button onClick={() => markRead.mutate([])}>
            <CheckCheck className="icon s" />
            {t("markAll")}
          </Button>
        )}
      </header>
      <List />
    </>
  );
}
