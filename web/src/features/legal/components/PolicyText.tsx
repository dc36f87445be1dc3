import { PenLine } from "lucide-react";
import { brand } from "@/brand";
import { dayOf } from "@/shared/format";
import { paths } from "@/shared/paths";
import { Link } from "@/shared/router";
import { BackLink } from "@/shared/ui";
import { useMessages } from "../i18n";
import type { Policy, PolicySection } from "../policies/types";
import { anchorOf, piecesOf } from "../words";
import { NoticeForms } from "./NoticeForms";
import "../legal.css";

function Words({ text }: { text: string }) {
  return piecesOf(text).map((piece) =>
    piece.to ? (
      <Link className="link" key={piece.to} to={piece.to}>
        {piece.text}
      </Link>
    ) : (
      piece.text
    ),
  );
}

function Section({ heading, text = [], points = [], after = [] }: PolicySection) {
  const paragraphs = (all: readonly string[]) =>
    all.map((paragraph) => (
      <p key={paragraph}>
        <Words text={paragraph} />
      </p>
    ));
  return (
    <section id={anchorOf(heading)}>
      <h2>{heading}</h2>
      {paragraphs(text)}
      {points.length > 0 && (
        <ul>
          {points.map((point) => (
            <li key={point}>
              <Words text={point} />
            </li>
          ))}
        </ul>
      )}
      {paragraphs(after)}
    </section>
  );
}

/** Where the form of a policy stands on its page. */
const FORM = "form";

function Contents({ policy }: { policy: Policy }) {
  const t = useMessages("policy");
  return (
    <nav className="policy-contents" aria-label={t("contents")}>
      <h2 className="label">{t("contents")}</h2>
      <ul>
        {policy.sections.map(({ heading }) => (
          <li key={heading}>
            <Link to={`#${anchorOf(heading)}`}>{heading}</Link>
          </li>
        ))}
        {policy.form && (
          <li>
            <Link to={`#${FORM}`} className="to-form">
              <PenLine className="icon s" />
              {t("form")}
            </Link>
          </li>
        )}
      </ul>
    </nav>
  );
}

/** A policy to read, with what is on the page beside it. Last updated today, as the specification has it. */
export function PolicyText({ policy }: { policy: Policy }) {
  const t = useMessages("policy");
  return (
    <div className="policy-page">
      <article className="policy">
        <header className="page-head">
          <BackLink to={paths.legal}>{t("index")}</BackLink>
          <h1>{policy.title}</h1>
          <p className="hint">{t("dates", { since: dayOf(brand.legalDate), updated: dayOf(new Date()) })}</p>
          {policy.form && (
            <Link className="link to-form" to={`#${FORM}`}>
              <PenLine className="icon s" />
              {t("toForm")}
            </Link>
          )}
        </header>
        {policy.sections.map((section) => (
          <Section key={section.heading} {...section} />
        ))}
        {policy.form && (
          <section id={FORM} className="policy-form">
            <NoticeForms page={policy.form} />
          </section>
        )}
      </article>
      <Contents policy={policy} />
    </div>
  );
}
