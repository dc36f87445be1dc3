import type { ChatPage } from "@/shared/api/types";
import { tagName } from "@/shared/catalog/tags";
import { sized } from "@/shared/media";
import { paths } from "@/shared/paths";
import { ButtonLink } from "@/shared/ui";

interface ProgrammeProps {
  page: ChatPage;
  /** How the character is called. */
  speaker: string;
  /** Whom the reader plays. */
  own: string;
}

/** The programme: who is on stage, where the scene is set, who plays. */
export function Programme({ page, speaker, own }: ProgrammeProps) {
  const { character, engine } = page;
  return (
    <>
      <div className="art">
        {character.imageUrl && (
          <img src={sized(character.imageUrl, "card")} alt="" width={480} height={640} decoding="async" />
        )}
        <h2>{character.name}</h2>
      </div>
      <div className="body">
        {character.scenario && (
          <section>
            <h3>The scene</h3>
            <p>{character.scenario}</p>
          </section>
        )}
        <section>
          <h3>About {speaker}</h3>
          <p>{character.description}</p>
          {character.tags.length > 0 && (
            <p className="programme-tags">{character.tags.map(tagName).join(", ")}</p>
          )}
        </section>
        <section>
          <h3>The cast</h3>
          <dl className="cast">
            <dt>{speaker}</dt>
            <dd>{engine.offline ? `${engine.name}, the offline engine` : engine.name}</dd>
            <dt>{own}</dt>
            <dd>you</dd>
          </dl>
        </section>
        <ButtonLink size="small" to={paths.character(character._id)}>
          Character page
        </ButtonLink>
      </div>
    </>
  );
}
