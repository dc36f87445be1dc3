import { useInfiniteQuery } from "@tanstack/react-query";
import { CheckCheck } from "lucide-react";
import { messageOf } from "@/shared/api/errors";
import { plural } from "@/shared/format";
import { paths } from "@/shared/paths";
import { Button, ButtonLink, Empty, PagedList } from "@/shared/ui";
import { notificationsOptions, useMarkRead, useUnread } from "../api";
import { NotificationItem } from "../components/NotificationItem";
import "../notifications.css";

const BONES = ["a", "b", "c", "d", "e", "f"];

function List() {
  const list = useInfiniteQuery(notificationsOptions);
  const markRead = useMarkRead();
  const notes = list.data?.pages.flatMap((page) => page.notifications) ?? [];
  return (
    <PagedList
      list={list}
      count={notes.length}
      className="notes"
      loading="Loading notifications"
      bones={BONES.map((key) => <span className="bone note-bone" key={key} />)}
      failure={messageOf(list.error, "Failed to load notifications. Please try again.")}
      empty={
        <Empty
          title="Nothing has happened yet"
          action={
            <ButtonLink look="lit" to={paths.forYou}>
              See who is on stage
            </ButtonLink>
          }
        >
          New followers, reviews, pictures that are ready and decisions about your work are told here.
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
  const unread = useUnread();
  const markRead = useMarkRead();
  return (
    <>
      <header className="page-head split">
        <div className="notes-title">
          <h1>Notifications</h1>
          <p role="status" className="num">
            {unread > 0 ? plural(unread, "unread", "unread") : "You have seen them all."}
          </p>
        </div>
        {unread > 0 && (
          <Button onClick={() => markRead.mutate([])}>
            <CheckCheck className="icon s" />
            Mark all as read
          </Button>
        )}
      </header>
      <List />
    </>
  );
}
