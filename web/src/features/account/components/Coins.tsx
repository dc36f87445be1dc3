import { useInfiniteQuery } from "@tanstack/react-query";
import { Coins as CoinsIcon } from "lucide-react";
import type { Movement, User } from "@/shared/api/types";
import { momentOf, signed } from "@/shared/format";
import { useMessages } from "../i18n";
import { movementsOptions, movementWords } from "../money";
import { Ledger } from "./Ledger";

function Line({ movement }: { movement: Movement }) {
  const t = useMessages("coins");
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
        <span className="ledger-sum num text-3">{t("ofReserved", { count: setAside })}</span>
      ) : (
        <span className={change > 0 ? "ledger-sum num up" : "ledger-sum num"}>{signed(change)}</span>
      )}
    </li>
  );
}

/** What came in and what went out, the newest first. */
export function Coins({ user }: { user: User }) {
  const t = useMessages("coins");
  const list = useInfiniteQuery(movementsOptions);
  const movements = list.data?.pages.flatMap((page) => page.movements);
  const count = user.coins?.available ?? 0;
  const reserved = user.coins?.reserved ?? 0;
  return (
    <Ledger
      id="coins"
      title={t("title")}
      loading={t("loading")}
      lead={
        <p className="coins-have num">
          <CoinsIcon className="icon s" />
          <span>{reserved > 0 ? t("haveReserved", { count, reserved }) : t("have", { count })}</span>
        </p>
      }
      list={list}
      failed={t("failed")}
      empty={t("none")}
      lines={movements?.map((movement) => <Line key={movement._id} movement={movement} />) ?? null}
    />
  );
}
