import { useInfiniteQuery } from "@tanstack/react-query";
import type { Receipt } from "@/shared/api/types";
import { dayOf, money } from "@/shared/format";
import { receiptsOptions } from "@/shared/plans";
import { planName } from "../api";
import { useMessages } from "../i18n";
import { Ledger } from "./Ledger";

function Line({ receipt }: { receipt: Receipt }) {
  const t = useMessages("receipts");
  const { kind, plan, period, promoCode, number, amount, currency, at } = receipt;
  return (
    <li>
      <span className="ledger-what">
        <b>{t(kind, { plan: planName(plan), period })}</b>
        <span className="hint num">
          {promoCode ? t("numberPromo", { number, code: promoCode }) : t("number", { number })}
        </span>
      </span>
      <time className="hint num" dateTime={at}>
        {dayOf(at)}
      </time>
      <span className={amount < 0 ? "ledger-sum num up" : "ledger-sum num"}>{money(amount, currency)}</span>
    </li>
  );
}

export function Receipts() {
  const t = useMessages("receipts");
  const list = useInfiniteQuery(receiptsOptions);
  const receipts = list.data?.pages.flatMap((page) => page.receipts);
  return (
    <Ledger
      id="receipts"
      title={t("title")}
      loading={t("loading")}
      list={list}
      failed={t("failed")}
      empty={t("none")}
      lines={receipts?.map((receipt) => <Line key={receipt.number} receipt={receipt} />) ?? null}
    />
  );
}
