import { ArrowLeft } from "lucide-react";
import { Link } from "react-router";
import { dayOf } from "@/shared/format";
import { paths } from "@/shared/paths";
import type { Policy } from "../policies/types";
import "../legal.css";

/** A policy to read: one column, dated today, as the specification has it. */
export function PolicyText({ policy }: { policy: Policy }) {
  return (
    <article className="policy">
      <Link className="policy-back" to={paths.legal}>
        <ArrowLeft className="icon s" />
        Legal
      </Link>
      <header className="page-head">
        <h1>{policy.title}</h1>
        <p className="hint">Last updated {dayOf(new Date())}</p>
      </header>
      {policy.sections.map((section) => (
        <section key={section.heading}>
          <h2>{section.heading}</h2>
          {section.text?.map((paragraph) => (
            <p key={paragraph}>{paragraph}</p>
          ))}
          {section.points && (
            <ul>
              {section.points.map((point) => (
                <li key={point}>{point}</li>
              ))}
            </ul>
          )}
        </section>
      ))}
    </article>
  );
}
