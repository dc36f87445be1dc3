import type { ChatPage } from "@/shared/api/types";
import { Meter } from "@/shared/ui";
import { useMessages } from "../i18n";

/** What is left of the allowance, in words and as a meter. */
export function Allowance({ usage }: { usage: ChatPage["usage"] }) {
  const t = useMessages("composer");
  const free = usage.freeLimit;
  if (free !== null) {
    // The last exchange may go one over; the count does not.
    const used = Math.min(usage.pathMessages, free);
    const text = t("free", { used, limit: free });
    return (
      <span className="count num">
        {text}
        <Meter label={text} value={used} max={free} />
      </span>
    );
  }
  if (usage.limit === null) return <span />;
  const text = t("month", { used: usage.used, limit: usage.limit });
  return (
    <span className="count num">
      {text}
      <Meter label={text} value={usage.used} max={usage.limit} />
    </span>
  );
}
