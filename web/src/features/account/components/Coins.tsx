import { useInfiniteQuery } from "@tanstack/react-query";
import { Coins as CoinsIcon } from "lucide-react";
import type { Movement, User } from "@/shared/api/types";
import { count, momentOf, signed } from "@/shared/format";
import { movementsOptions, movementWords } from "../money";
import { Ledger } from "./Ledger";

function Line({ movement }: { movement: Movement }) {
  const { what, how, change, setAside } = movementWords(movement);
  return (
    <li>
      <span className="ledger-what">
        <b>{what}</b>
        <span className="hint">{how}</span>
      </span>
      <time className="hint num" dateTime={movement.at}>
        {momentOf(movement.at)}
      </time>
      {change === null ? (
        <span className="ledger-sum num text-3">{count(setAside)} of those set aside</span>
      ) : (
        <span className={change > 0 ? "ledger-sum num up" : "ledger-sum num"}>{signed(change)}</span>
      )}
    </li>
  );
}

/** What came in and what went out, the newest first. */
export function Coins({ user }: { user: User }) {
  const list = useInfiniteQuery(movementsOptions);
  const movements = list.data?.pages.flatMap((page) => page.movements);
  const reserved = user.coins?.reserved ?? 0;
  return (
    <Ledger
      title="Coins"
      lead={
        <p className="coins-have num">
          <CoinsIcon className="icon s" />
          <span>
            {count(user.coins?.available ?? 0)} to spend
            {reserved > 0 && `, ${count(reserved)} set aside`}
          </span>
        </p>
      }
      list={list}
      failed="Failed to load your coins. Please try again."
      empty="No coins have moved yet. A membership brings some every month; pictures use them."
      lines={movements?.map((movement) => <Line key={movement._id} movement={movement} />) ?? null}
    />
  );
}
