import { brand } from "@/brand";
import { useTitle } from "@/shared/hooks/useTitle";
import { paths } from "@/shared/paths";
import { useLoggedIn } from "@/shared/store";
import { ButtonLink } from "@/shared/ui";
import { useMessages } from "../i18n";
import "../legal.css";

const QUESTIONS = ["real", "cost", "read", "curtain", "own", "leave"] as const;

export default function About() {
  const t = useMessages("about");
  const faq = useMessages("faq");
  useTitle(t("tab"));
  const loggedIn = useLoggedIn();
  return (
    <article className="policy about-page">
      <header className="about-stage stage">
        <div className="about-back" />
        <div className="about-cast" />
        <div className="about-pelmet" />
        <h1>{t("title", { brand: brand.name })}</h1>
        <p>{brand.pitch}</p>
      </header>
      <section className="about-house">
        <h2>{t("theatre")}</h2>
        <p>{t("what", { brand: brand.name })}</p>
        <p>{t("adults")}</p>
        <div className="chips">
          <ButtonLink look="lit" to={loggedIn ? paths.forYou : paths.signup}>
            {loggedIn ? t("find") : t("start")}
          </ButtonLink>
          <ButtonLink to={paths.legal}>{t("legal")}</ButtonLink>
        </div>
      </section>
      <section id="faq">
        <h2>{faq("title")}</h2>
        <dl className="faq">
          {QUESTIONS.map((question) => (
            <div key={question}>
              <dt>{faq(question)}</dt>
              <dd>{faq(`${question}Answer`)}</dd>
            </div>
          ))}
        </dl>
      </section>
    </article>
  );
}
