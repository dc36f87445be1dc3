import { useTitle } from "@/shared/hooks/useTitle";
import { paths } from "@/shared/paths";
import { Navigate, useParams } from "@/shared/router";
import { ButtonLink, Empty } from "@/shared/ui";
import { PolicyText } from "../components/PolicyText";
import { useMessages } from "../i18n";
import { complaint, POLICIES } from "../policies";

export default function PolicyPage() {
  const t = useMessages("policy");
  const slug = useParams().policy;
  const policy = POLICIES.find((candidate) => candidate.slug === slug);
  useTitle(policy?.title ?? t("notFound"));
  if (policy === complaint) return <Navigate to={paths.complaint} replace />;
  if (policy) return <PolicyText policy={policy} />;
  return (
    <Empty page title={t("none")} action={<ButtonLink to={paths.legal}>{t("all")}</ButtonLink>}>
      {t("noneText")}
    </Empty>
  );
}
