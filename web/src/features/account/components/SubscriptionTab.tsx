import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { brand } from "@/brand";
import { messageOf } from "@/shared/api/errors";
import type { Plan, PlanOffer, User } from "@/shared/api/types";
import { dayOf } from "@/shared/format";
import { isPaidPlan, type Period, periodOf, planOf, plansOptions, useLatestPayment } from "@/shared/plans";
import { toast } from "@/shared/toast";
import { Button, Failure, Segmented } from "@/shared/ui";
import { planName, useReactivate } from "../api";
import { useMessages } from "../i18n";
import { useChangePlan } from "../useChangePlan";
import { CancelDialog, NotSubscribed } from "./CancelDialogs";
import { Coins } from "./Coins";
import { PlanChoice } from "./PlanChoice";
import { Receipts } from "./Receipts";
import { Standing } from "./Ring";
import { Withdrawal } from "./Withdrawal";

/** A change that waits for the end of the period, and the way back. */
function Waiting({ user, period }: { user: User; period: Period | undefined }) {
  const t = useMessages("plan");
  const { go, busy } = useChangePlan(user);
  const current = planOf(user);
  if (!user.nextPlan || !isPaidPlan(current)) return null;
  return (
    <p className="note plan-note">
      <span>
        {t.rich("next", {
          next: planName(user.nextPlan),
          period: user.nextPeriod ?? "none",
          day: dayOf(user.subscriptionEndDate ?? new Date()),
          current: planName(current),
          b: (text) => <b className="num">{text}</b>,
        })}
      </span>
      {period && (
        <Button size="small" busy={busy} onClick={() => void go(current, period)}>
          {t("stay", { plan: planName(current) })}
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
  const t = useMessages("plan");
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
      onError: (error) => toast.error(messageOf(error, t("reactivateFailed"))),
    });

  const saving = (text: ReactNode) => <span className="saving">{text}</span>;
  const periods = [
    { value: "monthly" as const, label: t("monthly") },
    {
      value: "yearly" as const,
      label: t.rich("yearly", { percent: brand.claims.accountSaving, saving }),
    },
  ];

  return (
    <section className="plan-side" aria-labelledby="your-plan">
      <div className="plan-head">
        <h2 id="your-plan">{t("title")}</h2>
        <Segmented label={t("billing")} value={period} onChange={setPeriod} options={periods} />
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
            {t("reactivate")}
          </Button>
        )}
        <Button
          look={canceled ? "line" : "lit"}
          busy={busy}
          disabled={nothingNew || (chosen === "free" && canceled)}
          onClick={change}
        >
          {t("change")}
        </Button>
        {!canceled && (
          <Button look="quiet" onClick={() => setAsking(current === "free" ? "not-subscribed" : "cancel")}>
            {t("cancel")}
          </Button>
        )}
      </div>
      <CancelDialog open={asking === "cancel"} onClose={() => setAsking(null)} />
      <NotSubscribed open={asking === "not-subscribed"} onClose={() => setAsking(null)} />
    </section>
  );
}

export function SubscriptionTab({ user }: { user: User }) {
  const t = useMessages("plan");
  const { data: offers, isPending, refetch } = useQuery(plansOptions);
  const payment = useLatestPayment(user);
  const offer = offers?.find(({ plan }) => plan === planOf(user));
  return (
    <div className="acct">
      <div className="acct-main">
        {isPending ? (
          <div className="plan-side" role="status" aria-label={t("loading")}>
            <div className="plan-bones">
              <span className="bone head" />
              <span className="bone" />
              <span className="bone" />
              <span className="bone" />
              <span className="bone foot" />
            </div>
          </div>
        ) : offers ? (
          <Choose user={user} offers={offers} />
        ) : (
          <Failure message={t("failed")} onRetry={() => void refetch()} />
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
