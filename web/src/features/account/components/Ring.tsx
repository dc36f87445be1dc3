import { useMutation } from "@tanstack/react-query";
import type { CSSProperties } from "react";
import { Link } from "react-router";
import { messageOf } from "@/shared/api/errors";
import type { Receipt, User } from "@/shared/api/types";
import { count, dayOf, money, plural } from "@/shared/format";
import { RING_DAYS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { periodOf } from "@/shared/plans";
import { isFree } from "@/shared/session";
import { toast } from "@/shared/toast";
import { Button, Meter } from "@/shared/ui";
import { openPortal } from "../api";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Whole days from `now` to `end`, never below zero. */
export function daysLeft(end: string, now = Date.now()): number {
  return Math.max(0, Math.ceil((new Date(end).getTime() - now) / DAY_MS));
}

function Days({ end }: { end: string }) {
  const days = daysLeft(end);
  const share = Math.min(100, (days / RING_DAYS) * 100);
  return (
    <div
      className="ring num"
      style={{ "--p": share } as CSSProperties}
      role="img"
      aria-label={`${plural(days, "day")} left`}
    >
      <b>{days}</b>
      <span>{days === 1 ? "day left" : "days left"}</span>
    </div>
  );
}

function Amount({ name, value, max }: { name: string; value: number; max: number }) {
  const text = `${count(value)} of ${count(max)}`;
  return (
    <div className="amount">
      <p>
        <span>{name}</span>
        <span className="num text-2">{text}</span>
      </p>
      <Meter label={`${name}: ${text}`} value={value} max={max} />
    </div>
  );
}

/** To the provider's own page, for cards and invoices. */
function Portal() {
  const portal = useMutation({
    mutationFn: openPortal,
    onSuccess: ({ url }) => globalThis.location.assign(url),
    onError: (error) =>
      toast.error(messageOf(error, "The payment page could not be opened. Please try again.")),
  });
  return (
    <Button size="small" busy={portal.isPending} onClick={() => portal.mutate()}>
      Payment details
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
  // What has ended keeps its date: only a plan that runs has days left.
  const end = isFree(user) ? null : (user.subscriptionEndDate ?? user.nextPaymentDate);
  const period = periodOf(user);
  const ending = user.subscriptionStatus === "canceled" || Boolean(user.nextPlan);
  const coins = user.coins?.available ?? 0;
  const most = Math.max(coins, coinsPerMonth ?? 0);
  return (
    <aside className="panel standing" aria-label="Your membership">
      {end && <Days end={end} />}
      <div>
        {!end && (
          <p>
            You are in the free seats.{" "}
            <Link className="link" to={paths.membership}>
              See what a membership brings
            </Link>
            .
          </p>
        )}
        {end && (
          <p>
            {planName}
            {period && `, paid ${period},`} {ending ? "ends" : "renews"} on{" "}
            <b className="num">{dayOf(end)}</b>.
          </p>
        )}
        {user.subscriptionStatus === "past_due" && (
          <p className="error">The last payment did not go through. Choose your plan again to pay.</p>
        )}
        {user.lastPaymentDate && (
          <p className="hint num">
            Last payment {dayOf(user.lastPaymentDate)}
            {payment && `, ${money(payment.amount, payment.currency)}`}
          </p>
        )}
      </div>
      <div className="amounts">
        {user.messagesLimit != null && user.messagesUsed !== undefined && (
          <Amount name="Messages this month" value={user.messagesUsed} max={user.messagesLimit} />
        )}
        {most > 0 && <Amount name="Coins" value={coins} max={most} />}
      </div>
      {end && <Portal />}
    </aside>
  );
}
