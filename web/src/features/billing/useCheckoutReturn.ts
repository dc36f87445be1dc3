import { useEffect, useState } from "react";
import { brand } from "@/brand";
import type { User } from "@/shared/api/types";
import { forgetWanted, wantedPlan } from "@/shared/plans";
import { useSearchParams } from "@/shared/router";
import { refreshProfile } from "@/shared/session";
import { useRoot } from "@/shared/store";
import { toast } from "@/shared/toast";
import { messages } from "./i18n";

/** The profile is asked this often, ms, for at most this long, ms, after a payment. */
const ASK_EVERY_MS = 1000;
const ASK_FOR_MS = 30_000;

const confirms = (user: User | null) => {
  const wanted = wantedPlan();
  return user?.subscriptionStatus === "active" && (wanted === null || user.subscriptionPlan === wanted);
};

/** The address without one of its parameters, so that a reload does not say it again. */
const without = (name: string) => (before: URLSearchParams) => {
  const next = new URLSearchParams(before);
  next.delete(name);
  return next;
};

/**
 * Back from the payment page with `?code=`: the webhook may be slower than the browser, so the profile is asked
 * until it shows the membership. Tells whether that is still going on.
 */
export function useCheckoutReturn(): boolean {
  const [params, setParams] = useSearchParams();
  const code = params.get("code");
  const declined = params.has("declined");
  const [waiting, setWaiting] = useState(code !== null);

  useEffect(() => {
    if (code === null) return;
    let over = false;
    let timer: ReturnType<typeof setTimeout>;
    const until = Date.now() + ASK_FOR_MS;
    setWaiting(true);

    const end = (said: () => void) => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      forgetWanted();
      setWaiting(false);
      said();
      setParams(without("code"), { replace: true });
    };
    const welcome = () => end(() => toast.success(messages("seats")("success", { brand: brand.name })));
    const ask = async () => {
      const user = await refreshProfile().catch(() => null);
      if (over) return;
      if (confirms(user)) welcome();
      else if (Date.now() > until) end(() => toast.error(messages("seats")("profileFailed")));
      else timer = setTimeout(ask, ASK_EVERY_MS);
    };
    // A hint may bring the new profile sooner than the next question.
    const unwatch = useRoot.subscribe((state, before) => {
      if (state.userData !== before.userData && confirms(state.userData)) welcome();
    });
    void ask();
    return () => {
      over = true;
      clearTimeout(timer);
      unwatch();
    };
  }, [code, setParams]);

  useEffect(() => {
    if (!declined) return;
    forgetWanted();
    toast.error(messages("seats")("declined"));
    setParams(without("declined"), { replace: true });
  }, [declined, setParams]);

  return waiting;
}
