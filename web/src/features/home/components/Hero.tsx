import { Pause, Play, Smartphone } from "lucide-react";
import { useEffect, useState } from "react";
import { brand } from "@/brand";
import cast from "@/shared/art/troupe.webp";
import castOnPhones from "@/shared/art/troupe-760.webp";
import { useReducedMotion } from "@/shared/hooks/useReducedMotion";
import { useInstall } from "@/shared/install";
import { paths } from "@/shared/paths";
import { useLoggedIn } from "@/shared/store";
import { Button, ButtonLink, IconButton } from "@/shared/ui";
import { useMessages } from "../i18n";
import { useTagline } from "../useTagline";

// Where a visit begins with the hero, its picture is asked for while the page is still being put together.
if (["/", "/home"].includes(globalThis.location.pathname))
  new Image().src = globalThis.matchMedia("(max-width: 767px)").matches ? castOnPhones : cast;

/** Splits off the last word, which keeps the caret on its line. */
function lastWord(text: string): [string, string] {
  const at = text.lastIndexOf(" ") + 1;
  return [text.slice(0, at), text.slice(at)];
}

/** The curtain draws aside once per visit, not each time the home page is passed. */
let drawn = false;

/** The stage: cast, curtain, and the line that types itself. */
export function Hero() {
  const t = useMessages("hero");
  const loggedIn = useLoggedIn();
  const install = useInstall((state) => state.show);
  const still = useReducedMotion();
  const [paused, setPaused] = useState(false);
  const [curtain] = useState(drawn ? "hero-curtain open" : "hero-curtain");
  useEffect(() => {
    drawn = true;
  }, []);
  const [before, last] = lastWord(useTagline(brand.taglines, paused || still));
  return (
    <section className="hero stage" aria-label={t("welcome")}>
      <div className="hero-back" />
      <div className="hero-cast" role="img" aria-label={t("cast")} />
      <div className={curtain} />
      <div className="hero-wing l" />
      <div className="hero-wing r" />
      <div className="hero-pelmet" />
      <div className="hero-text">
        <h1>
          <span className="sr">{brand.taglines.join(" ")}</span>
          <span aria-hidden="true">
            {before}
            <span className="last">
              {last}
              <i className="caret" />
            </span>
          </span>
        </h1>
        <p>{brand.pitch}</p>
        <div className="hero-cta">
          <ButtonLink look="lit" size="big" to={loggedIn ? paths.forYou : paths.signup}>
            {t("start")}
          </ButtonLink>
          <Button look="line" size="big" onClick={install}>
            <Smartphone className="icon s" />
            {t("install")}
          </Button>
        </div>
        <p className="fine">{t("fine")}</p>
      </div>
      {!still && (
        <IconButton
          label={t(paused ? "goOn" : "pause")}
          className="hero-pause"
          onClick={() => setPaused(!paused)}
        >
          {paused ? <Play className="icon s" /> : <Pause className="icon s" />}
        </IconButton>
      )}
    </section>
  );
}
