import { useQuery } from "@tanstack/react-query";
import { refreshProfile } from "@/shared/session";
import { useUser } from "@/shared/store";
import { Failure, Tabs } from "@/shared/ui";
import { ProfileTab } from "../components/ProfileTab";
import { SecurityTab } from "../components/SecurityTab";
import { SubscriptionTab } from "../components/SubscriptionTab";
import "../account.css";

function Content() {
  const user = useUser();
  // What is stored shows at once; the page wants it as it is now.
  const fresh = useQuery({ queryKey: ["profile"], queryFn: refreshProfile, staleTime: 0 });
  if (!user) return null;
  if (fresh.isError && !user.email) {
    return <Failure message="Failed to load profile data." onRetry={() => void fresh.refetch()} />;
  }
  // A plan that changes behind the page, by a webhook, begins the choice anew.
  const standing = `${user.subscriptionPlan}-${user.subscriptionStatus}`;
  return (
    <Tabs
      label="Account"
      items={[
        {
          value: "subscription",
          label: "Subscription",
          content: <SubscriptionTab key={standing} user={user} />,
        },
        { value: "account", label: "Account", content: <ProfileTab user={user} /> },
        { value: "security", label: "Security", content: <SecurityTab user={user} /> },
      ]}
    />
  );
}

export default function Account() {
  return (
    <>
      <header className="page-head">
        <h1>Account</h1>
      </header>
      <Content />
    </>
  );
}
