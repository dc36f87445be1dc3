import { Navigate, useParams } from "react-router";
import { useTitle } from "@/shared/hooks/useTitle";
import { paths } from "@/shared/paths";
import { ButtonLink, Empty } from "@/shared/ui";
import { PolicyText } from "../components/PolicyText";
import { complaint, POLICIES } from "../policies";

export default function PolicyPage() {
  const slug = useParams().policy;
  const policy = POLICIES.find((candidate) => candidate.slug === slug);
  useTitle(policy?.title ?? "Not found");
  if (policy === complaint) return <Navigate to={paths.complaint} replace />;
  if (policy) return <PolicyText policy={policy} />;
  return (
    <Empty page title="No such policy" action={<ButtonLink to={paths.legal}>All policies</ButtonLink>}>
      The address leads nowhere.
    </Empty>
  );
}
