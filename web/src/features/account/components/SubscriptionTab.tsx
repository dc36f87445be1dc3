import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { brand } from "@/brand";
import { messageOf } from "@/shared/api/errors";
import type { PlanOffer, User } from "@/shared/api/types";
import { money } from "@/shared/format";
import { FREE_CHAT_MESSAGES } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { isFree } from "@/shared/session";
import { useRoot } from "@/shared/store";
import { toast } from "@/shared/toast";
import { Button, ButtonLink, Dialog, Failure, Segmented } from "@/shared/ui";
import { cancelSubscription, changePlan, fetchPlans, type Period } from "../api";
import { Standing } from "./Ring";

const CANCEL_QUESTION = "Positive? Are you sure you want to cancel your subscription?";
const CANCEL_FAILED = "Failed to cancel subscription. Please try again.";
/** From this many tokens of memory a plan says so. */
const LONG_MEMORY_TOKENS = 8000;

interface Row {
  plan: string;
  name: string;
  hint: string;
  price: string;
}

function rowsOf(offers: readonly PlanOffer[], period: Period): Row[] {
  const paid = offers
    .filter((offer) => offer.plan !== "free")
    .map((offer) => ({
      plan: offer.plan,
      name: offer.name,
      hint: [
        `${offer.messagesPerMonth.toLocaleString("en-US")} messages`,
        `${offer.coinsPerMonth.toLocaleString("en-US")} coins a month`,
        ...(offer.memoryTokens >= LONG_MEMORY_TOKENS
          ? [`${Math.floor(offer.memoryTokens / 1000)}K memory`]
          : []),
      ].join(", "),
      price:
        period === "yearly"
          ? `${money(offer.yearlyCents, offer.currency)} a year`
          : `${money(offer.monthlyCents, offer.currency)} a month`,
    }));
  return [
    { plan: "free", name: "Free", hint: `${FREE_CHAT_MESSAGES} messages in a chat`, price: "$0" },
    ...paid,
  ];
}

function PlanChoice({
  rows,
  chosen,
  current,
  onChoose,
}: {
  rows: readonly Row[];
  chosen: string | null;
  current: string;
  onChoose: (plan: string) => void;
}) {
  return (
    <fieldset className="choice">
      <legend className="sr">Plan</legend>
      {rows.map((row) => (
        <label key={row.plan} className={row.plan === chosen ? "on" : undefined}>
          <input
            className="sr"
            type="radio"
            name="plan"
            value={row.plan}
            checked={row.plan === chosen}
            onChange={() => onChoose(row.plan)}
          />
          <span className="radio" />
          <span>
            <b>{row.name}</b> {row.plan === current && <span className="badge">Current plan</span>}
            <br />
            <span className="hint">{row.hint}</span>
          </span>
          <span className={row.plan === current ? "num" : "num text-2"}>{row.price}</span>
        </label>
      ))}
    </fieldset>
  );
}

export function SubscriptionTab({ user }: { user: User }) {
  const { data, isPending, refetch } = useQuery({
    queryKey: ["plans"],
    queryFn: ({ signal }) => fetchPlans(signal),
  });
  const current = isFree(user) ? "free" : (user.subscriptionPlan ?? "free");
  const [period, setPeriod] = useState<Period>("yearly");
  const [chosen, setChosen] = useState<string | null>(current);
  const [asking, setAsking] = useState<"cancel" | "not-subscribed" | null>(null);
  const [busy, setBusy] = useState(false);
  const canceled = user.subscriptionStatus === "canceled";

  const checkout = async (plan: string) => {
    setBusy(true);
    try {
      globalThis.location.assign((await changePlan(plan, period)).url);
    } catch (error) {
      setBusy(false);
      toast.error(messageOf(error, "The checkout could not be opened. Please try again."));
    }
  };
  const change = () => {
    if (chosen === "free") setAsking("cancel");
    else if (chosen) void checkout(chosen);
  };
  const cancel = async () => {
    setBusy(true);
    try {
      const answer = await cancelSubscription();
      useRoot.getState().setUser(answer.user);
      setChosen(answer.user.subscriptionPlan ?? "free");
      toast.success(answer.message);
    } catch (error) {
      toast.error(messageOf(error, CANCEL_FAILED));
    } finally {
      setBusy(false);
      setAsking(null);
    }
  };

  if (isPending) {
    return (
      <div className="acct" role="status" aria-label="Loading plans">
        <div className="plan-bones">
          <span className="bone" />
          <span className="bone" />
          <span className="bone" />
        </div>
      </div>
    );
  }
  if (!data) return <Failure message="The plans could not be loaded." onRetry={() => void refetch()} />;
  const offer = data.plans.find((plan) => plan.plan === current);
  return (
    <div className="acct">
      <div className="plan-side">
        <div className="plan-head">
          <h2>Your plan</h2>
          <Segmented
            label="Billing"
            value={period}
            onChange={setPeriod}
            options={[
              { value: "monthly", label: "Monthly" },
              {
                value: "yearly",
                label: (
                  <>
                    Yearly <span className="saving">{brand.claims.accountSaving}</span>
                  </>
                ),
              },
            ]}
          />
        </div>
        <PlanChoice
          rows={rowsOf(data.plans, period)}
          chosen={chosen}
          current={current}
          onChoose={setChosen}
        />
        <div className="plan-foot">
          <Button
            look="lit"
            busy={busy}
            disabled={chosen === null || chosen === current || (chosen === "free" && canceled)}
            onClick={change}
          >
            Change plan
          </Button>
          {canceled ? (
            <Button busy={busy} onClick={() => void checkout(current)}>
              Reactivate Subscription
            </Button>
          ) : (
            <Button look="quiet" onClick={() => setAsking(isFree(user) ? "not-subscribed" : "cancel")}>
              Cancel Plan
            </Button>
          )}
        </div>
      </div>
      <Standing user={user} planName={offer?.name ?? "Free"} coinsPerMonth={offer?.coinsPerMonth} />
      <Dialog
        open={asking === "cancel"}
        onClose={() => setAsking(null)}
        title={CANCEL_QUESTION}
        className="cancel-ask"
      >
        <p className="text-2">You keep what you have paid for until the end of its term.</p>
        <div className="row">
          <Button onClick={() => setAsking(null)}>Keep my seat</Button>
          <Button look="rouge" busy={busy} onClick={cancel}>
            Cancel Plan
          </Button>
        </div>
      </Dialog>
      <Dialog
        open={asking === "not-subscribed"}
        onClose={() => setAsking(null)}
        title="You aren't subscribed!"
        closable
      >
        <p className="text-2">There is nothing to cancel. Memberships begin at the box office.</p>
        <div className="row">
          <ButtonLink look="lit" to={paths.membership}>
            Membership
          </ButtonLink>
        </div>
      </Dialog>
    </div>
  );
}
