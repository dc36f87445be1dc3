import { ArrowRight } from "lucide-react";
import { Link } from "react-router";
import { brand } from "@/brand";
import { dayOf } from "@/shared/format";
import { paths } from "@/shared/paths";
import { complaint, POLICIES } from "../policies";
import "../legal.css";

export default function LegalIndex() {
  return (
    <>
      <header className="page-head">
        <h1>Legal</h1>
        <p>The small print, set large enough to read.</p>
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
        {brand.name} is run by {brand.legalEntity}, {brand.legalSeat}. In force since {dayOf(brand.legalDate)}
        . Write to {brand.contactEmail}.
      </p>
    </>
  );
}
