import { messageOf } from "@/shared/api/errors";
import type { User } from "@/shared/api/types";
import { useBusy } from "@/shared/hooks/useBusy";
import {
  isPaidPlan,
  type PaidPlan,
  type Period,
  planOf,
  rememberWanted,
  startCheckout,
} from "@/shared/plans";
import { refreshProfile } from "@/shared/session";
import { toast } from "@/shared/toast";
import { changePlan } from "./api";
import { messages } from "./i18n";

/** Goes to another plan: a free reader buys it, a subscriber changes to it, at once or at the end of the period. */
export function useChangePlan(user: User) {
  const [busy, setBusy] = useBusy();

  const go = async (plan: PaidPlan, period: Period) => {
    setBusy(true);
    try {
      const order = { plan, period };
      const subscribed = isPaidPlan(planOf(user));
      const { url, msg } = subscribed
        ? await changePlan(plan, period)
        : { ...(await startCheckout(order)), msg: "" };
      if (url) {
        rememberWanted(plan);
        globalThis.location.assign(url);
        return;
      }
      await refreshProfile();
      toast.success(msg);
    } catch (error) {
      toast.error(messageOf(error, messages("plan")("checkoutFailed")));
    }
    setBusy(false);
  };
  return { go, busy };
}
