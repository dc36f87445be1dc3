import { ArrowRight } from "lucide-react";
import { brand } from "@/brand";
import { dayOf } from "@/shared/format";
import { useTitle } from "@/shared/hooks/useTitle";
import { paths } from "@/shared/paths";
import { Link } from "@/shared/router";
import { useMessages } from "../i18n";
import { complaint, POLICIES } from "../policies";
import "../legal.css";

export default function LegalIndex() {
  const t = useMessages("index");
  useTitle(t("title"));
  return (
    <>
      <header className="page-head">
        <h1>{t("title")}</h1>
        <p>{t("lead")}</p>
      </header>
      <ul className="policies">
        {POLICIES.map((policy) => (
          <li key={policy.slug}>
            <Link to={policy === complaint ? paths.complaint : paths.legalPage(policy.slug)}>
              <b>{policy.title}</b>
              <span>{policy.summary}</span>
              <ArrowRight className="icon s" />
            </Link>
          </li>
        ))}
      </ul>
      <p className="policies-end">
        {t("end", {
          brand: brand.name,
          entity: brand.legalEntity,
          seat: brand.legalSeat,
          day: dayOf(brand.legalDate),
          email: brand.contactEmail,
        })}
      </p>
    </>
  );
}
