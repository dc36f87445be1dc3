import { Check } from "lucide-react";
import type { ReactNode } from "react";
import type { PlanOffer } from "@/shared/api/types";
import { count } from "@/shared/format";
import { useSpoken } from "@/shared/i18n";
import { FREE_CHAT_MESSAGES } from "@/shared/limits";
import { useMessages } from "../i18n";

/** From this many tokens of memory a plan says so. */
const LONG_MEMORY_TOKENS = 8000;

/** What every paid plan has and a free seat has not. */
const PAID_ONLY = ["customCharacters", "customImages", "chatTools", "badge"] as const;

export function Compare({ offers }: { offers: readonly PlanOffer[] }) {
  const t = useMessages("seats");
  const language = useSpoken((state) => state.language);
  const yes = (
    <>
      <Check className="icon" />
      <span className="sr">{t("included")}</span>
    </>
  );
  const no = <span className="no">{t("notIncluded")}</span>;
  const eachMonth = (value: number) => t("eachMonth", { count: count(value, language) });
  const memory = (offer: PlanOffer) =>
    offer.memoryTokens >= LONG_MEMORY_TOKENS ? `${Math.floor(offer.memoryTokens / 1000)}K` : t("standard");
  const rows: { name: string; free: ReactNode; paid: (offer: PlanOffer) => ReactNode }[] = [
    {
      name: t("messages"),
      free: t("aChat", { count: FREE_CHAT_MESSAGES }),
      paid: (offer) => eachMonth(offer.messagesPerMonth),
    },
    { name: t("coins"), free: "0", paid: (offer) => eachMonth(offer.coinsPerMonth) },
    { name: t("memory"), free: t("standard"), paid: memory },
    ...PAID_ONLY.map((name) => ({ name: t(name), free: no, paid: () => yes })),
  ];
  return (
    <section className="section">
      <h2 className="compare-title">{t("sees")}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller without focusable content must be reachable. */}
      <section className="compare-box" tabIndex={0} aria-label={t("compared")}>
        <table className="compare">
          <thead>
            <tr>
              <th scope="col">
                <span className="sr">{t("feature")}</span>
              </th>
              <th scope="col">{t("free")}</th>
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
