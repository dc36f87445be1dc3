import type { PlanOffer } from "@/shared/api/types";
import { count, money } from "@/shared/format";
import { FREE_CHAT_MESSAGES } from "@/shared/limits";
import { type Period, priceOf } from "@/shared/plans";

/** From this many tokens of memory a plan says so. */
const LONG_MEMORY_TOKENS = 8000;

function hintOf(offer: PlanOffer): string {
  if (offer.plan === "free") return `${FREE_CHAT_MESSAGES} messages in a chat`;
  return [
    `${count(offer.messagesPerMonth)} messages`,
    `${count(offer.coinsPerMonth)} coins a month`,
    ...(offer.memoryTokens >= LONG_MEMORY_TOKENS ? [`${Math.floor(offer.memoryTokens / 1000)}K memory`] : []),
  ].join(", ");
}

function priceText(offer: PlanOffer, period: Period): string {
  if (offer.plan === "free") return money(0, offer.currency);
  const price = money(priceOf(offer, period), offer.currency);
  return period === "yearly" ? `${price} a year` : `${price} a month`;
}

interface PlanChoiceProps {
  offers: readonly PlanOffer[];
  period: Period;
  chosen: string | null;
  current: string;
  /** The running plan is paid in the period that is looked at. */
  currentPeriod: boolean;
  onChoose: (plan: string) => void;
}

/** The plans as radio buttons, free first. */
export function PlanChoice({ offers, period, chosen, current, currentPeriod, onChoose }: PlanChoiceProps) {
  return (
    <fieldset className="choice">
      <legend className="sr">Plan</legend>
      {offers.map((offer) => (
        <label key={offer.plan} className={offer.plan === chosen ? "on" : undefined}>
          <input
            className="sr"
            type="radio"
            name="plan"
            value={offer.plan}
            checked={offer.plan === chosen}
            onChange={() => onChoose(offer.plan)}
          />
          <span className="radio" />
          <span>
            <b>{offer.name}</b>{" "}
            {offer.plan === current && currentPeriod && <span className="badge">Current plan</span>}
            <br />
            <span className="hint">{hintOf(offer)}</span>
          </span>
          <span className={offer.plan === current ? "num" : "num text-2"}>{priceText(offer, period)}</span>
        </label>
      ))}
    </fieldset>
  );
}
