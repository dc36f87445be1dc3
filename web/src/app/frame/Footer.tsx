import { brand } from "@/brand";
import { useMessages } from "@/shared/i18n";
import { useInstall } from "@/shared/install";
import { turnNsfwOff, useAgeQuestion } from "@/shared/nsfw";
import { paths } from "@/shared/paths";
import { Link } from "@/shared/router";
import { useRoot } from "@/shared/store";
import { toast } from "@/shared/toast";
import { Logo, Switch } from "@/shared/ui";
import { LanguageChoice } from "./LanguageChoice";

function NsfwSwitch() {
  const t = useMessages("frame");
  const nsfw = useRoot((state) => state.nsfw);
  const ask = useAgeQuestion((state) => state.ask);
  return (
    <Switch checked={nsfw} onChange={(on) => (on ? ask() : void turnNsfwOff())}>
      {t("showNsfw")}
    </Switch>
  );
}

export function Footer() {
  const t = useMessages("frame");
  const install = useInstall((state) => state.show);
  return (
    <footer className="footer">
      <div className="footer-in">
        <div>
          <span className="logo logo-foot">
            <Logo />
          </span>
          <p className="blurb">{t("blurb", { brand: brand.name })}</p>
          <NsfwSwitch />
          <LanguageChoice />
        </div>
        <div>
          <h2>{t("platform")}</h2>
          <ul>
            <li>
              <Link to={paths.tag("nsfw")}>{t("aiChat")}</Link>
            </li>
            <li>
              <Link to={paths.tag("female")}>{t("girlfriends")}</Link>
            </li>
            <li>
              <Link to={paths.tag("male")}>{t("boyfriends")}</Link>
            </li>
            <li>
              <Link to={paths.createImage}>{t("imageGenerator")}</Link>
            </li>
          </ul>
        </div>
        <div>
          <h2>{t("resources")}</h2>
          <ul>
            <li>
              <button type="button" onClick={() => toast.info(t("affiliateSoon"))}>
                {t("affiliate")}
              </button>
            </li>
            <li>
              <a href={brand.supportUrl} target="_blank" rel="noopener noreferrer">
                {t("support")}
              </a>
            </li>
            <li>
              <Link to={`${paths.about}#faq`}>{t("faq")}</Link>
            </li>
            <li>
              <button type="button" onClick={install}>
                {t("download")}
              </button>
            </li>
            <li>
              <Link to={paths.legal}>{t("legal")}</Link>
            </li>
            <li>
              <Link to={paths.legalPage("guidelines")}>{t("guidelines")}</Link>
            </li>
            <li>
              <Link to={paths.legalPage("content-removal")}>{t("removal")}</Link>
            </li>
            <li>
              <Link to={paths.complaint}>{t("complaints")}</Link>
            </li>
          </ul>
        </div>
      </div>
      <p className="small">
        <span>{t("adults")}</span>
        <span className="num">
          © {new Date().getFullYear()} {brand.legalEntity}
        </span>
      </p>
    </footer>
  );
}
