import { ArrowRight } from "lucide-react";
import { sized } from "@/shared/media";
import { paths } from "@/shared/paths";
import { ButtonLink } from "@/shared/ui";
import { useRow } from "../api";

/** Whose scene is told here. Without this character among the featured, the section stays away. */
const WHO = "Emeka Adeyemi";

/** A few lines of a scene, so that a visitor hears what a chat sounds like before having one. */
export function Overheard() {
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
          alt="Emeka Adeyemi in front of a stained-glass window"
          width={480}
          height={640}
          loading="lazy"
          decoding="async"
        />
      </div>
      <div className="txt">
        <h2 id="heard">Overheard in Emeka’s workshop</h2>
        <div className="prose">
          <p>
            <em>
              He holds the pane up to the lamp. Among the saints, very small, someone is dropping a sandwich.
            </em>{" "}
            <q>Four hundred years,</q> <em>he says,</em>{" "}
            <q>and you’re the first to look at his hands instead of his halo.</q>
          </p>
        </div>
        <div className="turn mine">
          <div className="bubble prose">
            <p>
              <q>Does the bishop know?</q>
            </p>
          </div>
        </div>
        <div className="prose">
          <p>
            <q>The bishop,</q> <em>already reaching for a smaller brush,</em>{" "}
            <q>is in the next window. Would you like to see what I gave him?</q>
          </p>
        </div>
        <div>
          <ButtonLink to={paths.character(character._id)} state={{ character }}>
            Meet Emeka
            <ArrowRight className="icon s" />
          </ButtonLink>
        </div>
      </div>
    </section>
  );
}
