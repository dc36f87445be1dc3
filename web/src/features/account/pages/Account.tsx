import { useEffect } from "react";
import { onHint } from "@/shared/hints";
import { useTitle } from "@/shared/hooks/useTitle";
import { useSearchParams } from "@/shared/router";
import { refreshProfile } from "@/shared/session";
import { useUser } from "@/shared/store";
import { Failure, Tabs } from "@/shared/ui";
import { useFreshProfile } from "../api";
import { ProfileTab } from "../components/ProfileTab";
import { SecurityTab } from "../components/SecurityTab";
import { SubscriptionTab } from "../components/SubscriptionTab";
import { ErasureNote } from "../components/YourData";
import { useMessages } from "../i18n";
import { useMoneyMoved } from "../money";
import "../account.css";

const TABS = ["subscription", "account", "security"] as const;

/** The tab stands in the address, so that a reload, Back and a link find it again. */
function useTab() {
  const [params, setParams] = useSearchParams();
  const tab = TABS.find((name) => name === params.get("tab")) ?? TABS[0];
  const choose = (next: string) => setParams(next === TABS[0] ? {} : { tab: next }, { replace: true });
  return [tab, choose] as const;
}

/** Coins that a picture used, a payment that came in: the page follows. */
function useMoneyHints() {
  const moved = useMoneyMoved();
  useEffect(
    () =>
      onHint(({ type }) => {
        if (type === "coins.changed") void refreshProfile().catch(() => undefined);
        if (type === "coins.changed" || type === "entitlement.changed") void moved();
      }),
    [moved],
  );
}

function Content() {
  const t = useMessages("account");
  const user = useUser();
  const [tab, choose] = useTab();
  const fresh = useFreshProfile();
  useMoneyHints();
  if (!user) return null;
  if (fresh.isError && !user.email) {
    return <Failure message={t("failed")} onRetry={() => void fresh.refetch()} />;
  }
  // A plan that changes behind the page, by a webhook, begins the choice anew.
  const standing = `${user.subscriptionPlan}-${user.subscriptionStatus}-${user.nextPlan}`;
  return (
    <>
      <ErasureNote user={user} />
      <Tabs
        label={t("title")}
        value={tab}
        onChange={choose}
        items={[
          {
            value: "subscription",
            label: t("subscription"),
            content: <SubscriptionTab key={standing} user={user} />,
          },
          { value: "account", label: t("account"), content: <ProfileTab user={user} /> },
          { value: "security", label: t("security"), content: <SecurityTab user={user} /> },
        ]}
      />
    </>
  );
}

export default function Account() {
  const t = useMessages("account");
  useTitle(t("title"));
  return (
    <>
      <header className="page-head">
        <h1>{t("title")}</h1>
      </header>
      <Content />
    </>
  );
}
