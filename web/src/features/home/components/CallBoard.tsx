import { ArrowRight, Search } from "lucide-react";
import { tagName } from "@/shared/catalog/tags";
import { paths } from "@/shared/paths";
import { Link } from "@/shared/router";
import { useMessages } from "../i18n";

const SUGGESTED = ["detective", "royalty", "magical", "robot", "historical", "tsundere", "folklore"] as const;

/** The box that leads to search. */
export function CallBoard() {
  const t = useMessages("call");
  return (
    <section className="section callboard stage" aria-labelledby="call">
      <h2 id="call">{t("title")}</h2>
      <Link className="searchbox" to={paths.search}>
        <Search className="icon" />
        <span>{t("hint")}</span>
        <span className="go">
          <ArrowRight className="icon" />
        </span>
      </Link>
      <div className="chips">
        {SUGGESTED.map((tag) => (
          <Link key={tag} className="chip" to={paths.tag(tag)}>
            {tagName(tag)}
          </Link>
        ))}
        <Link className="chip" to={paths.categories}>
          {t("all")}
        </Link>
      </div>
    </section>
  );
}
