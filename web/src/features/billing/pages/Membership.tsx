import { useQuery } from "@tanstack/react-query";
import { Hourglass } from "lucide-react";
import { useState } from "react";
import { brand } from "@/brand";
import type { Plan } from "@/shared/api/types";
import { useTitle } from "@/shared/hooks/useTitle";
import { type Period, periodOf, planOf, plansOptions } from "@/shared/plans";
import { useUser } from "@/shared/store";
import { Failure, Segmented } from "@/shared/ui";
import { Compare } from "../components/Compare";
import { MemberHero } from "../components/MemberHero";
import { OrderPanel } from "../components/OrderPanel";
import { Ticket } from "../components/Ticket";
import { useMessages } from "../i18n";
import { useCheckoutReturn } from "../useCheckoutReturn";
import "../membership.css";

function Plans() {
  const t = useMessages("seats");
  const user = useUser();
  const { data: plans, isPending, refetch } = useQuery(plansOptions);
  const [wanted, setPeriod] = useState<Period | null>(null);
  const [plan, setPlan] = useState<Plan>("premium");
  const paidBy = periodOf(user);
  const period = wanted ?? paidBy ?? "yearly";

  const offers = plans?.filter((offer) => offer.plan !== "free") ?? [];
  const chosen = offers.find((offer) => offer.plan === plan) ?? offers[0];
  // Paid by the month, the same seat by the year is another one; past due, it can be paid anew.
  const isCurrent = (name: Plan) =>
    planOf(user) === name && period === (paidBy ?? period) && user?.subscriptionStatus !== "past_due";

  return (
    <>
      <div className="plans-head">
        <h2>{t("choose")}</h2>
        <Segmented
          label={t("billing")}
          value={period}
          onChange={setPeriod}
          options={[
            { value: "monthly", label: t("monthly") },
            {
              value: "yearly",
              label: (
                <>
                  {t("yearly")} <span className="saving">{brand.claims.yearlySaving}</span>
                </>
              ),
            },
          ]}
        />
      </div>
      {isPending ? (
        <div className="plans" role="status" aria-label={t("loading")}>
          {["premium", "deluxe", "order"].map((key) => (
            <div className="ticket-bone bone" key={key} />
          ))}
        </div>
      ) : chosen ? (
        <>
          <div className="plans">
            {offers.map((offer) => (
              <Ticket
                key={offer.plan}
                offer={offer}
                period={period}
                chosen={offer === chosen}
                current={isCurrent(offer.plan)}
                onChoose={() => setPlan(offer.plan)}
              />
            ))}
            <OrderPanel offer={chosen} period={period} current={isCurrent(chosen.plan)} />
          </div>
          <Compare offers={offers} />
        </>
      ) : (
        <Failure message={t("failed")} onRetry={() => void refetch()} />
      )}
    </>
  );
}

export default function Membership() {
  const t = useMessages("seats");
  useTitle(t("title"));
  const waiting = useCheckoutReturn();
  return (
    <>
      {waiting && (
        <p className="note checkout-note" role="status">
          <Hourglass className="icon s" />
          {t("waiting")}
        </p>
      )}
      <MemberHero />
      <Plans />
    </>
  );
}
