import { CircleAlert, CircleStop, ShieldAlert, Unplug } from "lucide-react";
import { memo, type ReactNode } from "react";
import type { Message } from "@/shared/api/types";
import { sized } from "@/shared/media";
import { troubleOf } from "../reasons";
import { useTyped } from "../useTyped";
import { Prose } from "./Prose";

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

export function Tile({ src }: { src: string | null }) {
  return (
    <span className="tile">
      {src && <img src={sized(src, "thumb")} alt="" width={48} height={64} decoding="async" />}
    </span>
  );
}

const TROUBLE_ICON = {
  stopped: CircleStop,
  interrupted: Unplug,
  failed: CircleAlert,
  refused: ShieldAlert,
} as const;

function Trouble({ message, said }: { message: Message; said: string | undefined }) {
  const text = troubleOf(message, said);
  if (!text) return null;
  const Icon = message.state in TROUBLE_ICON ? TROUBLE_ICON[message.state as "failed"] : CircleAlert;
  return (
    <p
      className={message.state === "stopped" ? "trouble mild" : "trouble"}
      role="status"
      data-state={message.state}
    >
      <Icon className="icon s" />
      {text}
    </p>
  );
}

interface TurnProps {
  message: Message;
  /** How the speaker is called. */
  speaker: string;
  portrait: string | null;
  /** It is being written now. */
  live: boolean;
  /** Types from nothing at an even pace: the greeting of a new chat. */
  greeting: boolean;
  said: string | undefined;
  /** Buttons under the last message. */
  tools?: ReactNode;
}

/** The character's turn. */
function CharacterTurn({ message, speaker, portrait, live, greeting, said, tools }: TurnProps) {
  const { text, typing } = useTyped(message.content, live || greeting, !greeting);
  const writing = live || typing;
  return (
    <article className="turn" aria-busy={writing} data-testid="character-turn">
      <Tile src={portrait} />
      <div>
        <p className="cue">
          <Tile src={portrait} />
          <b>{speaker}</b>
          <time className="num" dateTime={message.createdAt}>
            {clock.format(new Date(message.createdAt))}
          </time>
        </p>
        {text === "" && live ? (
          <TypingDots name={speaker} />
        ) : (
          text.trim() !== "" && (
            <div className="bubble prose">
              <Prose content={text} writing={writing} />
            </div>
          )
        )}
        {!writing && <Trouble message={message} said={said} />}
        {!writing && tools}
      </div>
    </article>
  );
}

export function TypingDots({ name }: { name: string }) {
  return (
    <div className="bubble typing" role="status" aria-label={`${name} is typing`}>
      <i />
      <i />
      <i />
    </div>
  );
}

function OwnTurn({ message, speaker, said, tools }: TurnProps) {
  return (
    <article className="turn mine" data-testid="own-turn">
      <p className="cue">
        <time className="num" dateTime={message.createdAt}>
          {clock.format(new Date(message.createdAt))}
        </time>
        <b>{speaker}</b>
      </p>
      <div className="bubble prose">
        <Prose content={message.content} />
      </div>
      <Trouble message={message} said={said} />
      {tools}
    </article>
  );
}

export const Turn = memo((props: TurnProps) =>
  props.message.senderType === "character" ? <CharacterTurn {...props} /> : <OwnTurn {...props} />,
);
