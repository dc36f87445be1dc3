import { Check, Clock } from "lucide-react";
import type { PlanOffer } from "@/shared/api/types";
import { money } from "@/shared/format";
import { type Period, priceOf } from "@/shared/plans";

const SEATS: Readonly<Record<string, string>> = { premium: "The stalls", deluxe: "The box" };

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
  const price = priceOf(offer, period);
  return (
    <button
      type="button"
      className={chosen ? "ticket on" : "ticket"}
      aria-pressed={chosen}
      onClick={onChoose}
    >
      <span className="ticket-top">
        <span className="seat">{SEATS[offer.plan]}</span>
        <span className="ticket-name">{offer.name}</span>
        <span className="price num">
          <b>{money(price, offer.currency)}</b>
          <span>
            a {period === "yearly" ? "year" : "month"}
            {period === "yearly" && (
              <>
                <br />
                {money(Math.round(price / 12), offer.currency)} a month
              </>
            )}
          </span>
        </span>
        <span className="ticket-perks">
          {offer.perks.map((perk) => (
            <span key={perk} className={isSoon(perk) ? "perk soon" : "perk"}>
              {isSoon(perk) ? <Clock className="icon" /> : <Check className="icon" />}
              <span>{perk}</span>
            </span>
          ))}
        </span>
      </span>
      <span className="ticket-stub">
        <span>{current ? "Your seat" : chosen ? "Selected" : "Select"}</span>
        <span className="radio" />
      </span>
    </button>
  );
}
