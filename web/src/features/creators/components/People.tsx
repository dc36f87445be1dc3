import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { FollowerItem } from "@/shared/api/types";
import { paths } from "@/shared/paths";
import { Link } from "@/shared/router";
import { Avatar, Empty, PagedList } from "@/shared/ui";
import { type PeopleKind, peopleOptions } from "../api";
import { useMessages } from "../i18n";

const BONES = ["a", "b", "c", "d"];

function Person({ person }: { person: FollowerItem }) {
  return (
    <li>
      <Link to={paths.creator(person.username)}>
        <Avatar name={person.username} src={person.pfp} />
        <span>{person.username}</span>
      </Link>
    </li>
  );
}

interface PeopleProps {
  kind: PeopleKind;
  creatorId: string;
  /** How many there are, where that is known: not all of them need be in the list. */
  count?: number;
  empty: ReactNode;
}

/** Who follows somebody, or whom they follow, ten at a time. */
export function People({ kind, creatorId, count = 0, empty }: PeopleProps) {
  const t = useMessages("people");
  const list = useInfiniteQuery(peopleOptions(kind, creatorId));
  const people = list.data?.pages.flatMap((page) => page.people) ?? [];
  const others = list.hasNextPage ? 0 : count - people.length;
  return (
    <PagedList
      list={list}
      count={people.length}
      className="people"
      loading={t("loading")}
      bones={BONES.map((key) => (
        <div className="person-bone" key={key}>
          <span className="face skeleton" />
          <span className="bone w-60" />
        </div>
      ))}
      failure={t("failed")}
      empty={others > 0 ? <Empty title={t("unlisted", { count: others })}>{t("unlistedText")}</Empty> : empty}
    >
      <ul className="people">
        {people.map((person) => (
          <Person key={person._id} person={person} />
        ))}
      </ul>
      {others > 0 && <p className="list-end">{t("others", { count: others })}</p>}
    </PagedList>
  );
}
