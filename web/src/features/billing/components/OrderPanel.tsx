import { Check } from "lucide-react";
import { type FormEvent, useEffect, useState } from "react";
import { brand } from "@/brand";
import { ApiError, messageOf } from "@/shared/api/errors";
import type { PlanOffer } from "@/shared/api/types";
import { discountEnd, remaining, twoDigits } from "@/shared/countdown";
import { amount, dayOf, money } from "@/shared/format";
import { useBusy } from "@/shared/hooks/useBusy";
import { useSpoken } from "@/shared/i18n";
import { paths } from "@/shared/paths";
import { isPaidPlan, type Period, planOf, rememberWanted, startCheckout } from "@/shared/plans";
import { useNavigate } from "@/shared/router";
import { refreshProfile } from "@/shared/session";
import { useLoggedIn, useUser } from "@/shared/store";
import { toast } from "@/shared/toast";
import { Button, Field } from "@/shared/ui";
import { useMessages } from "../i18n";
import { isPromoCode, orderOf, renewalDay } from "../order";

/** The time the code is still good for, once a second. */
function TimeLeft() {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const { hours, minutes, seconds } = remaining(discountEnd(now), now);
  return <span className="num">{[hours, minutes, seconds].map(twoDigits).join(":")}</span>;
}

interface OrderPanelProps {
  offer: PlanOffer;
  period: Period;
  /** The reader has this seat already. */
  current: boolean;
}

/** What the chosen seat costs today, and the way to the till. */
export function OrderPanel({ offer, period, current }: OrderPanelProps) {
  const t = useMessages("seats");
  const language = useSpoken((state) => state.language);
  const loggedIn = useLoggedIn();
  const user = useUser();
  const plan = planOf(user);
  const navigate = useNavigate();
  // The banner on every page offers the code; whoever comes from there need not type it.
  const [code, setCode] = useState<string>(brand.promo.code);
  const [applied, setApplied] = useState<string>(brand.promo.code);
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useBusy();
  const withCode = isPromoCode(applied);
  const { priceCents, discountCents, totalCents } = orderOf(offer, period, withCode);
  const renewsAt = (current && user?.subscriptionEndDate) || renewalDay(period, new Date());
  const price = (cents: number) => amount(cents, offer.currency, language);

  const apply = (event: FormEvent) => {
    event.preventDefault();
    if (code.trim() === "" || isPromoCode(code)) {
      setApplied(code.trim().toUpperCase());
      setError(null);
    } else {
      setApplied("");
      setError(t("unknownCode"));
    }
  };

  const checkout = async () => {
    if (!loggedIn) {
      navigate(paths.login, { state: { redirectPath: paths.membership } });
      return;
    }
    setBusy(true);
    try {
      if (!isPaidPlan(offer.plan)) return;
      const { url } = await startCheckout({ plan: offer.plan, period, promoCode: applied || undefined });
      if (url === paths.account) {
        // Nothing is to be paid today: the change waits for the end of what is paid.
        await refreshProfile().catch(() => undefined);
        toast.success(t("waits"));
        navigate(paths.account);
        return;
      }
      rememberWanted(offer.plan);
      globalThis.location.assign(url);
    } catch (failed) {
      setBusy(false);
      const field = failed instanceof ApiError ? failed.fields.promoCode : undefined;
      if (field) {
        setApplied("");
        setError(field);
      } else toast.error(messageOf(failed, t("checkoutFailed")));
    }
  };

  return (
    <div className="panel bill-sum">
      <h3>{t("order")}</h3>
      <form onSubmit={apply} hidden={current}>
        <Field label={t("promoCode")} error={error ?? undefined}>
          {(control) => (
            <div className="promo-code">
              <input
                {...control}
                className="input"
                value={code}
                onChange={(event) => setCode(event.target.value)}
                autoComplete="off"
                autoCapitalize="characters"
                spellCheck={false}
              />
              <Button type="submit">{t("apply")}</Button>
            </div>
          )}
        </Field>
        {withCode && (
          <p className="hint good promo-good" role="status">
            <Check className="icon s" />
            <span>{t.rich("offFor", { percent: brand.promo.percentOff, time: () => <TimeLeft /> })}</span>
          </p>
        )}
      </form>
      <dl className="num">
        <dt>{t(period === "yearly" ? "offerYearly" : "offerMonthly", { name: offer.name })}</dt>
        <dd>{price(priceCents)}</dd>
        {withCode && !current && (
          <>
            <dt>{applied}</dt>
            <dd>−{price(discountCents)}</dd>
          </>
        )}
        <dt className="total">{t(isPaidPlan(plan) && !current ? "atMost" : "today")}</dt>
        <dd className="total num">{price(current ? 0 : totalCents)}</dd>
      </dl>
      <Button look="lit" wide busy={busy} disabled={current} onClick={checkout}>
        {t(current ? "thisIs" : loggedIn ? "checkout" : "login")}
      </Button>
      {isPaidPlan(plan) && !current && <p className="hint">{t("counts")}</p>}
      {!(current && user?.subscriptionStatus === "canceled") && (
        <p className="hint">
          {t("renews", {
            price: money(priceCents, offer.currency, language),
            day: dayOf(renewsAt, language),
          })}
        </p>
      )}
    </div>
  );
}
