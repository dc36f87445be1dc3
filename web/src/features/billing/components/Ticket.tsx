import { Check, Clock } from "lucide-react";
import type { PlanOffer } from "@/shared/api/types";
import { money } from "@/shared/format";
import { useSpoken } from "@/shared/i18n";
import { type Period, priceOf } from "@/shared/plans";
import { useMessages } from "../i18n";

const SEATS = { free: null, premium: "stalls", deluxe: "box" } as const;

/** A perk that is announced and not yet there ends in `soon`. */
const isSoon = (perk: string) => /\bsoon\)?$/i.test(perk);

interface TicketProps {
  offer: PlanOffer;
  period: Period;
  chosen: boolean;
  current: boolean;
  onChoose: () => void;
}

/** A plan: its stub, below the perforation, is the radio button. */
export function Ticket({ offer, period, chosen, current, onChoose }: TicketProps) {
  const t = useMessages("seats");
  const language = useSpoken((state) => state.language);
  const price = priceOf(offer, period);
  const seat = SEATS[offer.plan];
  return (
    <button
      type="button"
      className={chosen ? "ticket on" : "ticket"}
      aria-pressed={chosen}
      onClick={onChoose}
    >
      <span className="ticket-top">
        <span className="seat">{seat && t(seat)}</span>
        <span className="ticket-name">{offer.name}</span>
        <span className="price num">
          <b>{money(price, offer.currency, language)}</b>
          <span>
            {t(period === "yearly" ? "aYear" : "aMonth")}
            {period === "yearly" && (
              <>
                <br />
                {t("priceMonth", { price: money(Math.round(price / 12), offer.currency, language) })}
              </>
            )}
          </span>
        </span>
        {/* What the house says of its plans is English. */}
        <span className="ticket-perks" lang="en">
          {offer.perks.map((perk) => (
            <span key={perk} className={isSoon(perk) ? "perk soon" : "perk"}>
              {isSoon(perk) ? <Clock className="icon" /> : <Check className="icon" />}
              <span>{perk}</span>
            </span>
          ))}
        </span>
      </span>
      <span className="ticket-stub">
        <span>{t(current ? "yourSeat" : chosen ? "selected" : "select")}</span>
        <span className="radio" />
      </span>
    </button>
  );
}
