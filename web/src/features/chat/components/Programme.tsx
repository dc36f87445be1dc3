import { useQuery } from "@tanstack/react-query";
import { Bookmark, Pin, Plus } from "lucide-react";
import type { ChatPage } from "@/shared/api/types";
import { tagName } from "@/shared/catalog/tags";
import { sized } from "@/shared/media";
import { paths } from "@/shared/paths";
import { Button, ButtonLink, IconButton } from "@/shared/ui";
import { manifestOptions, memoriesOptions } from "../api";
import { useMessages } from "../i18n";
import { Prose } from "./Prose";
import { TokenBar, TokenCount } from "./TokenBar";

/** Memories that are read at a glance. */
const SHOWN_MEMORIES = 4;

interface ProgrammeProps {
  page: ChatPage;
  /** How the character is called. */
  speaker: string;
  /** Whom the reader plays. */
  own: string;
  /** The newest reply that an engine wrote. */
  replyId: string | null;
  onMemories: () => void;
  onSees: () => void;
}

type PartProps = Pick<ProgrammeProps, "page" | "speaker" | "own" | "replyId" | "onMemories" | "onSees">;

function Remembers({ page, speaker, onMemories }: PartProps) {
  const t = useMessages("scene");
  const { data = [] } = useQuery(memoriesOptions(page.chatId));
  // What counts here first: pinned, then the latest.
  const valid = data.filter((memory) => memory.valid);
  const shown = [...valid.filter((m) => m.pinned), ...valid.filter((m) => !m.pinned).reverse()];
  return (
    <section>
      <h3>
        {t("remembers", { name: speaker })}
        <IconButton small label={t("addMemory")} onClick={onMemories}>
          <Plus className="icon s" />
        </IconButton>
      </h3>
      {shown.length === 0 ? (
        <p>{t("noMemories")}</p>
      ) : (
        <ul className="remembers">
          {shown.slice(0, SHOWN_MEMORIES).map(({ _id, text, pinned }) => (
            <li key={_id}>
              {pinned ? <Pin className="icon" /> : <Bookmark className="icon" />}
              <span>{text}</span>
            </li>
          ))}
        </ul>
      )}
      {data.length > 0 && (
        <Button size="small" look="quiet" onClick={onMemories}>
          {t("all", { count: data.length })}
        </Button>
      )}
    </section>
  );
}

function Sees({ page, speaker, own, replyId, onSees }: PartProps) {
  const t = useMessages("scene");
  const { data } = useQuery({ ...manifestOptions(page.chatId, replyId ?? ""), enabled: replyId !== null });
  if (!replyId || !data) return null;
  return (
    <section>
      <h3>
        {t("sees", { name: speaker })} <TokenCount manifest={data} />
      </h3>
      <TokenBar manifest={data} character={speaker} own={own} />
      <Button size="small" look="quiet" onClick={onSees}>
        {t("closer")}
      </Button>
    </section>
  );
}

/** The programme: who is on stage, where the scene is set, who plays, what is in mind. */
export function Programme(props: ProgrammeProps) {
  const { page, speaker, own } = props;
  const { character, engine } = page;
  const t = useMessages("scene");
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
            <h3>{t("scene")}</h3>
            <div className="prose">
              <Prose content={character.scenario} />
            </div>
          </section>
        )}
        <Remembers {...props} />
        <Sees {...props} />
        <section>
          <h3>{t("aboutName", { name: speaker })}</h3>
          <div className="prose">
            <Prose content={character.description} />
          </div>
          {character.tags.length > 0 && (
            <p className="programme-tags">{character.tags.map(tagName).join(", ")}</p>
          )}
        </section>
        <section>
          <h3>{t("cast")}</h3>
          <dl className="dramatis">
            <dt>{speaker}</dt>
            <dd>{engine.offline ? t("offlineEngine", { engine: engine.name }) : engine.name}</dd>
            <dt>{own}</dt>
            <dd>{t("you")}</dd>
          </dl>
        </section>
        <ButtonLink size="small" to={paths.character(character._id)}>
          {t("page")}
        </ButtonLink>
      </div>
    </>
  );
}
