import type { PlanOffer } from "@/shared/api/types";
import { money } from "@/shared/format";
import { FREE_CHAT_MESSAGES } from "@/shared/limits";
import { type Period, priceOf } from "@/shared/plans";
import { useMessages } from "../i18n";

/** From this many tokens of memory a plan says so. */
const LONG_MEMORY_TOKENS = 8000;

/** What a plan brings, in a line. */
function Hint({ offer }: { offer: PlanOffer }) {
  const t = useMessages("plan");
  const { plan, messagesPerMonth: messages, coinsPerMonth: coins, memoryTokens } = offer;
  if (plan === "free") return t("bringsFree", { count: FREE_CHAT_MESSAGES });
  if (memoryTokens < LONG_MEMORY_TOKENS) return t("brings", { messages, coins });
  return t("bringsMemory", { messages, coins, memory: Math.floor(memoryTokens / 1000) });
}

function Price({ offer, period }: { offer: PlanOffer; period: Period }) {
  const t = useMessages("plan");
  if (offer.plan === "free") return money(0, offer.currency);
  const price = money(priceOf(offer, period), offer.currency);
  return period === "yearly" ? t("priceYear", { price }) : t("priceMonth", { price });
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
  const t = useMessages("plan");
  return (
    <fieldset className="choice">
      <legend className="sr">{t("plan")}</legend>
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
            {offer.plan === current && currentPeriod && <span className="badge">{t("current")}</span>}
            <br />
            <span className="hint">
              <Hint offer={offer} />
            </span>
          </span>
          <span className={offer.plan === current ? "num" : "num text-2"}>
            <Price offer={offer} period={period} />
          </span>
        </label>
      ))}
    </fieldset>
  );
}
