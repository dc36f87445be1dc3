import { useMutation } from "@tanstack/react-query";
import type { CSSProperties } from "react";
import { messageOf } from "@/shared/api/errors";
import type { Receipt, User } from "@/shared/api/types";
import { dayOf, money } from "@/shared/format";
import { RING_DAYS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { periodOf } from "@/shared/plans";
import { isFree } from "@/shared/session";
import { toast } from "@/shared/toast";
import { Button, ButtonLink, Meter, Spot } from "@/shared/ui";
import { openPortal } from "../api";
import { useMessages } from "../i18n";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Whole days from `now` to `end`, never below zero. */
export function daysLeft(end: string, now = Date.now()): number {
  return Math.max(0, Math.ceil((new Date(end).getTime() - now) / DAY_MS));
}

function Days({ end }: { end: string }) {
  const t = useMessages("standing");
  const days = daysLeft(end);
  const share = Math.min(100, (days / RING_DAYS) * 100);
  return (
    <div
      className="ring num"
      style={{ "--p": share } as CSSProperties}
      role="img"
      aria-label={t("daysLeft", { count: days })}
    >
      {t.rich("ring", { count: days, b: (text) => <b>{text}</b>, span: (text) => <span>{text}</span> })}
    </div>
  );
}

function Amount({ name, value, max }: { name: string; value: number; max: number }) {
  const t = useMessages("standing");
  return (
    <div className="amount">
      <p>
        <span>{name}</span>
        <span className="num text-2">{t("used", { value, max })}</span>
      </p>
      <Meter label={t("meter", { name, value, max })} value={value} max={max} />
    </div>
  );
}

/** To the provider's own page, for cards and invoices. */
function Portal() {
  const t = useMessages("standing");
  const portal = useMutation({
    mutationFn: openPortal,
    onSuccess: ({ url }) => globalThis.location.assign(url),
    onError: (error) => toast.error(messageOf(error, t("portalFailed"))),
  });
  return (
    <Button size="small" busy={portal.isPending} onClick={() => portal.mutate()}>
      {t("portal")}
    </Button>
  );
}

interface StandingProps {
  user: User;
  planName: string;
  /** The latest one for this plan, once it is known. */
  payment: Receipt | undefined;
  /** Coins the plan brings each month, if it is known. */
  coinsPerMonth: number | undefined;
}

/** Where the membership stands: days left, the next payment, what is used. */
export function Standing({ user, planName, payment, coinsPerMonth }: StandingProps) {
  const t = useMessages("standing");
  // What has ended keeps its date: only a plan that runs has days left.
  const end = isFree(user) ? null : (user.subscriptionEndDate ?? user.nextPaymentDate);
  const period = periodOf(user);
  const ending = user.subscriptionStatus === "canceled" || Boolean(user.nextPlan);
  const coins = user.coins?.available ?? 0;
  const most = Math.max(coins, coinsPerMonth ?? 0);
  return (
    <aside className={end ? "panel standing" : "panel standing free"} aria-label={t("title")}>
      {end ? <Days end={end} /> : <Spot />}
      <div>
        {!end && <p>{t("free")}</p>}
        {end && (
          <p>
            {t.rich(ending ? "ends" : "renews", {
              plan: planName,
              period: period ?? "none",
              day: dayOf(end),
              b: (text) => <b className="num">{text}</b>,
            })}
          </p>
        )}
        {user.subscriptionStatus === "past_due" && <p className="error">{t("pastDue")}</p>}
        {user.lastPaymentDate && (
          <p className="hint num">
            {payment
              ? t("lastPaymentOf", {
                  day: dayOf(user.lastPaymentDate),
                  sum: money(payment.amount, payment.currency),
                })
              : t("lastPayment", { day: dayOf(user.lastPaymentDate) })}
          </p>
        )}
      </div>
      <div className="amounts">
        {user.messagesLimit != null && user.messagesUsed !== undefined && (
          <Amount name={t("messages")} value={user.messagesUsed} max={user.messagesLimit} />
        )}
        {most > 0 && <Amount name={t("coins")} value={coins} max={most} />}
      </div>
      {end ? <Portal /> : <ButtonLink to={paths.membership}>{t("freeMore")}</ButtonLink>}
    </aside>
  );
}
