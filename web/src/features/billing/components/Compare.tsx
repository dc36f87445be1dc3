import { Check } from "lucide-react";
import type { ReactNode } from "react";
import type { PlanOffer } from "@/shared/api/types";
import { FREE_CHAT_MESSAGES } from "@/shared/limits";

/** From this many tokens of memory a plan says so. */
const LONG_MEMORY_TOKENS = 8000;

const yes = (
  <>
    <Check className="icon" />
    <span className="sr">Included</span>
  </>
);
const no = <span className="no">Not included</span>;

/** What every paid plan has and a free seat has not. */
const PAID_ONLY = ["Custom characters", "Custom images", "Chat tools", "Creator badge"];

export function Compare({ offers }: { offers: readonly PlanOffer[] }) {
  const count = (value: number) => `${value.toLocaleString("en-US")} a month`;
  const memory = (offer: PlanOffer) =>
    offer.memoryTokens >= LONG_MEMORY_TOKENS ? `${Math.floor(offer.memoryTokens / 1000)}K` : "Standard";
  const rows: { name: string; free: ReactNode; paid: (offer: PlanOffer) => ReactNode }[] = [
    {
      name: "Messages",
      free: `${FREE_CHAT_MESSAGES} a chat`,
      paid: (offer) => count(offer.messagesPerMonth),
    },
    { name: "Free coins", free: "0", paid: (offer) => count(offer.coinsPerMonth) },
    { name: "Memory", free: "Standard", paid: memory },
    ...PAID_ONLY.map((name) => ({ name, free: no, paid: () => yes })),
  ];
  return (
    <section className="section">
      <h2 className="compare-title">What each seat sees</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller without focusable content must be reachable. */}
      <section className="compare-box" tabIndex={0} aria-label="Plans compared">
        <table className="compare">
          <thead>
            <tr>
              <th scope="col">
                <span className="sr">Feature</span>
              </th>
              <th scope="col">Free</th>
              {offers.map((offer) => (
                <th scope="col" key={offer.plan}>
                  {offer.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name}>
                <th scope="row">{row.name}</th>
                <td className="num">{row.free}</td>
                {offers.map((offer) => (
                  <td className="num" key={offer.plan}>
                    {row.paid(offer)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}
