import { useInfiniteQuery } from "@tanstack/react-query";
import type { Receipt } from "@/shared/api/types";
import { dayOf, money } from "@/shared/format";
import { receiptsOptions } from "@/shared/plans";
import { planName } from "../api";
import { receiptKind } from "../money";
import { Ledger } from "./Ledger";

function Line({ receipt }: { receipt: Receipt }) {
  const { kind, plan, period, promoCode, number, amount, currency, at } = receipt;
  return (
    <li>
      <span className="ledger-what">
        <b>
          {receiptKind(kind)}, {planName(plan)} {period}
        </b>
        <span className="hint num">
          No. {number}
          {promoCode && `, with ${promoCode}`}
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
  const list = useInfiniteQuery(receiptsOptions);
  const receipts = list.data?.pages.flatMap((page) => page.receipts);
  return (
    <Ledger
      title="Receipts"
      list={list}
      failed="Failed to load your receipts. Please try again."
      empty="You have paid nothing yet."
      lines={receipts?.map((receipt) => <Line key={receipt.number} receipt={receipt} />) ?? null}
    />
  );
}
