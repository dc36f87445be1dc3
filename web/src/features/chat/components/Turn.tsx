import { CircleAlert, CircleStop, ShieldAlert, Unplug } from "lucide-react";
import { type KeyboardEvent, memo, type ReactNode } from "react";
import type { Message } from "@/shared/api/types";
import { sized } from "@/shared/media";
import { HELP_REASON, LOCAL_ID } from "../conversation";
import { useMessages } from "../i18n";
import { troubleOf } from "../reasons";
import { leafing, useTurnActions } from "../turnActions";
import { useSwipe } from "../useSwipe";
import { useTimes } from "../useTimes";
import { useTyped } from "../useTyped";
import { EditTurn } from "./EditTurn";
import { HelpCard } from "./HelpCard";
import { Prose } from "./Prose";
import { TurnTools, Versions } from "./TurnTools";

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

/** What ended otherwise than it should, without alarm where nothing is broken. */
const MILD = new Set<Message["state"]>(["stopped", "refused", "pending"]);

function Trouble({ message, said }: { message: Message; said: string | undefined }) {
  useMessages("turn");
  const text = troubleOf(message, said);
  if (!text) return null;
  const Icon = message.state in TROUBLE_ICON ? TROUBLE_ICON[message.state as "failed"] : CircleAlert;
  return (
    <p
      className={MILD.has(message.state) ? "trouble mild" : "trouble"}
      role="status"
      data-state={message.state}
    >
      <Icon className="icon s" />
      {text}
    </p>
  );
}

export interface TurnProps {
  message: Message;
  /** How the speaker is called. */
  speaker: string;
  /** How the character is called. */
  character: string;
  portrait: string | null;
  /** It is being written now. */
  live: boolean;
  /** Types from nothing at an even pace: the greeting of a new chat. */
  greeting: boolean;
  said: string | undefined;
  /** It ends the path. */
  newest: boolean;
  /** The reader was led to it. */
  spotted: boolean;
  /** Its words are being changed. */
  editing: boolean;
  onEdit: (id: string | null) => void;
  /** A button under the last message. */
  step?: ReactNode;
}

/** Leafing through versions with the arrow keys, while the turn itself has the focus, and with a finger. */
function useLeafing(message: Message, newest: boolean, off: boolean) {
  const { swipe, again, locked } = useTurnActions();
  const { back, on, onRefused } = leafing(message, newest, locked);
  const leaves = !off && (message.variants > 1 || on === "write");
  const turn = (step: 1 | -1) => {
    if (step < 0 ? back : onRefused) return;
    if (step > 0 && on === "write") again(message);
    else swipe(message, step);
  };
  const touch = useSwipe(leaves ? turn : null);
  // A reply that is being written in place of another keeps the focus that the other had.
  if (!leaves) return newest && message.senderType === "character" ? { tabIndex: 0 } : {};
  return {
    ...touch,
    tabIndex: 0,
    "aria-keyshortcuts": "ArrowLeft ArrowRight",
    onKeyDown: (event: KeyboardEvent) => {
      if (event.target !== event.currentTarget) return;
      if (event.key === "ArrowRight") turn(1);
      else if (event.key === "ArrowLeft") turn(-1);
    },
  };
}

/** The character's turn. */
function CharacterTurn(props: TurnProps) {
  const { message, speaker, portrait, live, greeting, said, newest, spotted, editing, onEdit, step } = props;
  const t = useMessages("turn");
  const { clock } = useTimes();
  const { text, typing } = useTyped(message.content, live || greeting, !greeting, message._id);
  const writing = live || typing;
  const help = message.reason === HELP_REASON;
  const leafs = useLeafing(message, newest, writing || editing || help);
  const tools = !writing && !editing && <TurnTools {...props} onEdit={() => onEdit(message._id)} />;
  return (
    <article
      className={spotted ? "turn spotted" : "turn"}
      aria-busy={writing}
      aria-label={help ? t("helpLines") : speaker}
      data-testid="character-turn"
      data-message={message._id}
      {...leafs}
    >
      {/* Help lines are the house's words, not the character's. */}
      {help ? <span /> : <Tile src={portrait} />}
      <div>
        <div className="cue">
          {!help && <Tile src={portrait} />}
          {!help && <b>{speaker}</b>}
          <time className="num" dateTime={message.createdAt}>
            {clock(message.createdAt)}
          </time>
          {!newest && !editing && <Versions message={message} newest={false} />}
          {!newest && tools}
        </div>
        {editing ? (
          <EditTurn message={message} onClose={() => onEdit(null)} />
        ) : help ? (
          <HelpCard content={message.content} />
        ) : text === "" && live ? (
          <TypingDots name={speaker} />
        ) : (
          text.trim() !== "" && (
            <div className="bubble prose">
              <Prose content={text} writing={writing} />
            </div>
          )
        )}
        {!writing && <Trouble message={message} said={said} />}
        {!writing && newest && !editing && (
          <div className="tools">
            {!help && <Versions message={message} newest />}
            {tools}
            {step}
          </div>
        )}
      </div>
    </article>
  );
}

export function TypingDots({ name }: { name: string }) {
  const t = useMessages("turn");
  return (
    <div className="bubble typing" role="status" aria-label={t("typing", { name })}>
      <i />
      <i />
      <i />
    </div>
  );
}

function OwnTurn(props: TurnProps) {
  const { message, speaker, said, newest, spotted, editing, onEdit, step } = props;
  const { clock } = useTimes();
  const leafs = useLeafing(message, newest, editing);
  return (
    <article
      className={spotted ? "turn mine spotted" : "turn mine"}
      aria-label={speaker}
      data-testid="own-turn"
      data-message={message._id}
      {...leafs}
    >
      <div className="cue">
        {message._id !== LOCAL_ID && !editing && (
          <>
            <TurnTools {...props} onEdit={() => onEdit(message._id)} />
            <Versions message={message} newest={false} />
          </>
        )}
        <time className="num" dateTime={message.createdAt}>
          {clock(message.createdAt)}
        </time>
        <b>{speaker}</b>
      </div>
      {editing ? (
        <EditTurn message={message} onClose={() => onEdit(null)} />
      ) : (
        <div className="bubble prose">
          <Prose content={message.content} />
        </div>
      )}
      <Trouble message={message} said={said} />
      {step && <div className="tools">{step}</div>}
    </article>
  );
}

export const Turn = memo((props: TurnProps) =>
  props.message.senderType === "character" ? <CharacterTurn {...props} /> : <OwnTurn {...props} />,
);
