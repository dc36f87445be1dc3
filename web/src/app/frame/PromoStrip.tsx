import { ArrowRight } from "lucide-react";
import { Fragment, useEffect, useState } from "react";
import { brand } from "@/brand";
import { discountEnd, remaining, twoDigits } from "@/shared/countdown";
import { useMessages } from "@/shared/i18n";
import { paths } from "@/shared/paths";
import { Link } from "@/shared/router";

const SECOND_MS = 1000;

/** The time left of the discount window; a window that has passed begins again. */
function useDiscountClock() {
  const [clock, setClock] = useState(() => remaining(discountEnd(Date.now()), Date.now()));
  useEffect(() => {
    const timer = setInterval(() => setClock(remaining(discountEnd(Date.now()), Date.now())), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  return clock;
}

/** The velvet strip: a code as a ticket, and the time it is good for. */
export function PromoStrip() {
  const t = useMessages("frame");
  const { hours, minutes, seconds } = useDiscountClock();
  const cells = [
    ["hours", hours],
    ["minutes", minutes],
    ["seconds", seconds],
  ] as const;
  return (
    <aside className="promo" aria-label={t("promotion")}>
      <Link to={paths.membership}>
        <span>
          {t.rich("off", {
            percent: brand.promo.percentOff,
            b: (text) => <strong>{text}</strong>,
            long: (text) => <span className="long">{text}</span>,
          })}
        </span>
        <span className="code">{brand.promo.code}</span>
        <span className="clock num" role="timer" aria-label={t("endsIn", { hours, minutes })}>
          {cells.map(([unit, value], index) => (
            <Fragment key={unit}>
              {index > 0 && <i>:</i>}
              <b>{twoDigits(value)}</b>
            </Fragment>
          ))}
        </span>
        <span className="long">{t("left")}</span>
        <ArrowRight className="icon s" />
      </Link>
    </aside>
  );
}
