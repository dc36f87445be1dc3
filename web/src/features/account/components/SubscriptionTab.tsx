import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { brand } from "@/brand";
import { messageOf } from "@/shared/api/errors";
import type { Plan, PlanOffer, User } from "@/shared/api/types";
import { dayOf } from "@/shared/format";
import { isPaidPlan, type Period, periodOf, planOf, plansOptions, useLatestPayment } from "@/shared/plans";
import { toast } from "@/shared/toast";
import { Button, Failure, Segmented } from "@/shared/ui";
import { planName, useReactivate } from "../api";
import { useChangePlan } from "../useChangePlan";
import { CancelDialog, NotSubscribed } from "./CancelDialogs";
import { Coins } from "./Coins";
import { PlanChoice } from "./PlanChoice";
import { Receipts } from "./Receipts";
import { Standing } from "./Ring";
import { Withdrawal } from "./Withdrawal";

const PERIODS = [
  { value: "monthly" as const, label: "Monthly" },
  {
    value: "yearly" as const,
    label: (
      <>
        Yearly <span className="saving">{brand.claims.accountSaving}</span>
      </>
    ),
  },
];

/** A change that waits for the end of the period, and the way back. */
function Waiting({ user, period }: { user: User; period: Period | undefined }) {
  const { go, busy } = useChangePlan(user);
  const current = planOf(user);
  if (!user.nextPlan || !isPaidPlan(current)) return null;
  return (
    <p className="note plan-note">
      <span>
        {planName(user.nextPlan)}
        {user.nextPeriod && `, paid ${user.nextPeriod},`} begins on{" "}
        <b className="num">{dayOf(user.subscriptionEndDate ?? new Date())}</b>. Until then you keep{" "}
        {planName(current)} as it is.
      </span>
      {period && (
        <Button size="small" busy={busy} onClick={() => void go(current, period)}>
          Stay with {planName(current)}
        </Button>
      )}
    </p>
  );
}

interface ChooseProps {
  user: User;
  offers: readonly PlanOffer[];
}

/** Which plan, monthly or yearly; and its end. */
function Choose({ user, offers }: ChooseProps) {
  const current = planOf(user);
  const paidBy = periodOf(user);
  const [wanted, setPeriod] = useState<Period | null>(null);
  const [chosen, setChosen] = useState<Plan | null>(current);
  const [asking, setAsking] = useState<"cancel" | "not-subscribed" | null>(null);
  const { go, busy } = useChangePlan(user);
  const reactivate = useReactivate();
  const canceled = user.subscriptionStatus === "canceled";
  const period = wanted ?? paidBy ?? "yearly";
  const same = chosen === current && (current === "free" || period === (paidBy ?? period));
  // Past due, the running plan can be paid anew.
  const nothingNew = chosen === null || (same && user.subscriptionStatus !== "past_due");

  const change = () => {
    if (chosen === "free") setAsking("cancel");
    else if (chosen) void go(chosen, period);
  };
  const bringBack = () =>
    reactivate.mutate(undefined, {
      onSuccess: ({ msg }) => toast.success(msg),
      onError: (error) =>
        toast.error(messageOf(error, "Failed to reactivate your subscription. Please try again.")),
    });

  return (
    <section className="plan-side" aria-labelledby="your-plan">
      <div className="plan-head">
        <h2 id="your-plan">Your plan</h2>
        <Segmented label="Billing" value={period} onChange={setPeriod} options={PERIODS} />
      </div>
      <Waiting user={user} period={paidBy} />
      <PlanChoice
        offers={offers}
        period={period}
        chosen={chosen}
        current={current}
        currentPeriod={current === "free" || period === (paidBy ?? period)}
        onChoose={(plan) => setChosen(offers.find((offer) => offer.plan === plan)?.plan ?? null)}
      />
      <div className="plan-foot">
        {canceled && (
          <Button look="lit" busy={reactivate.isPending} onClick={bringBack}>
            Reactivate Subscription
          </Button>
        )}
        <Button
          look={canceled ? "line" : "lit"}
          busy={busy}
          disabled={nothingNew || (chosen === "free" && canceled)}
          onClick={change}
        >
          Change plan
        </Button>
        {!canceled && (
          <Button look="quiet" onClick={() => setAsking(current === "free" ? "not-subscribed" : "cancel")}>
            Cancel Plan
          </Button>
        )}
      </div>
      <CancelDialog open={asking === "cancel"} onClose={() => setAsking(null)} />
      <NotSubscribed open={asking === "not-subscribed"} onClose={() => setAsking(null)} />
    </section>
  );
}

export function SubscriptionTab({ user }: { user: User }) {
  const { data: offers, isPending, refetch } = useQuery(plansOptions);
  const payment = useLatestPayment(user);
  const offer = offers?.find(({ plan }) => plan === planOf(user));
  return (
    <div className="acct">
      <div className="acct-main">
        {isPending ? (
          <div className="plan-side" role="status" aria-label="Loading plans">
            <div className="plan-bones">
              <span className="bone head" />
              <span className="bone" />
              <span className="bone" />
              <span className="bone" />
            </div>
          </div>
        ) : offers ? (
          <Choose user={user} offers={offers} />
        ) : (
          <Failure message="The plans could not be loaded." onRetry={() => void refetch()} />
        )}
        <Coins user={user} />
        <Receipts />
        <Withdrawal user={user} />
      </div>
      <Standing
        user={user}
        planName={planName(planOf(user))}
        payment={payment}
        coinsPerMonth={offer?.coinsPerMonth}
      />
    </div>
  );
}
