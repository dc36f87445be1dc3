import { ArrowRight } from "lucide-react";
import type { ReactNode } from "react";
import { sized } from "@/shared/media";
import { paths } from "@/shared/paths";
import { ButtonLink } from "@/shared/ui";
import { useRow } from "../api";
import { useMessages } from "../i18n";

/** Whose scene is told here. Without this character among the featured, the section stays away. */
const WHO = "Emeka Adeyemi";

/** What is done, and what is said. */
const SPOKEN = { em: (text: ReactNode) => <em>{text}</em>, q: (text: ReactNode) => <q>{text}</q> };

/** A few lines of a scene, so that a visitor hears what a chat sounds like before having one. */
export function Overheard() {
  const t = useMessages("heard");
  const featured = useRow("featured");
  const there = featured.data?.find(({ name }) => name === WHO);
  const trending = useRow("trending", featured.isSuccess && !there);
  const character = there ?? trending.data?.find(({ name }) => name === WHO);
  if (!character?.imageUrl) return null;
  return (
    <section className="section overheard" aria-labelledby="heard">
      <div className="pic">
        <img
          src={sized(character.imageUrl, "card")}
          alt={t("picture")}
          width={480}
          height={640}
          loading="lazy"
          decoding="async"
        />
      </div>
      <div className="txt">
        <h2 id="heard">{t("title")}</h2>
        <div className="prose">
          <p>{t.rich("opening", SPOKEN)}</p>
        </div>
        <div className="turn mine">
          <div className="bubble prose">
            <p>{t.rich("line", SPOKEN)}</p>
          </div>
        </div>
        <div className="prose">
          <p>{t.rich("reply", SPOKEN)}</p>
        </div>
        <div>
          <ButtonLink to={paths.character(character._id)} state={{ character }}>
            {t("meet")}
            <ArrowRight className="icon s" />
          </ButtonLink>
        </div>
      </div>
    </section>
  );
}
