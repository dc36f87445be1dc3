import { ArrowDown } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Message } from "@/shared/api/types";
import { useKeptFocus } from "@/shared/hooks/useKeptFocus";
import { Button } from "@/shared/ui";
import { type Conversation, LOCAL_ID, nextStep } from "../conversation";
import type { Spot } from "../useBranches";
import { useFollow } from "../useFollow";
import { useMarks } from "../useMarks";
import { Turn } from "./Turn";

const dayName = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long" });
const DAY_MS = 24 * 60 * 60 * 1000;

function dayOfScene(time: string, now = new Date()): string {
  const day = new Date(time);
  if (day.toDateString() === now.toDateString()) return "Today";
  if (day.toDateString() === new Date(now.getTime() - DAY_MS).toDateString()) return "Yesterday";
  return dayName.format(day);
}

const beginsDay = (messages: readonly Message[], index: number) => {
  const before = messages[index - 1];
  const here = messages[index];
  return (
    !before || !here || new Date(before.createdAt).toDateString() !== new Date(here.createdAt).toDateString()
  );
};

interface LinesProps {
  conversation: Conversation;
  speaker: string;
  own: string;
  portrait: string | null;
  onProceed: () => void;
  /** Fetches what was said before the first message; null when nothing was. */
  onEarlier: (() => Promise<void>) | null;
  /** Where the reader was led. */
  spot: Spot | null;
  /** Words to be marked. */
  marks: string;
}

const COMING_ID = "coming";
/** The reply before the server has said a word of it: it takes the place of the one that will be. */
const toCome = (last: Message): Message => ({
  ...last,
  _id: COMING_ID,
  parentId: last._id,
  senderType: "character",
  content: "",
  state: "streaming",
  reason: null,
  createdAt: new Date().toISOString(),
  variants: 1,
  variant: 1,
  siblings: [],
});

/** Versions of a message stand in one place of the page, so that leafing keeps the focus. */
const placeOf = (message: Message) => (message._id === LOCAL_ID ? LOCAL_ID : `after-${message.parentId}`);

/** The way to what was said before the first message. */
function Earlier({ onEarlier }: { onEarlier: () => Promise<void> }) {
  const [fetching, setFetching] = useState(false);
  return (
    <Button
      size="small"
      className="earlier"
      busy={fetching}
      onClick={async () => {
        setFetching(true);
        await onEarlier();
        setFetching(false);
      }}
    >
      Earlier messages
    </Button>
  );
}

/** The talk so far. */
export function Lines({
  conversation,
  speaker,
  own,
  portrait,
  onProceed,
  onEarlier,
  spot,
  marks,
}: LinesProps) {
  const { messages, live, said } = conversation;
  const [editing, setEditing] = useState<string | null>(null);
  // Only a chat that opened with nothing but its greeting types it.
  const [fresh] = useState(messages.length === 1 ? messages[0]?._id : undefined);
  const next = nextStep(conversation);

  const last = messages.at(-1);
  const waitsForFirst = live !== null && last && !messages.some((m) => m._id === live.messageId);
  const shown = waitsForFirst ? [...messages, toCome(last)] : messages;
  const { scroller, content, away, toEnd, toMessage, virtual } = useFollow(shown, placeOf, editing);
  useMarks(content, marks);
  useKeptFocus(scroller, `${messages.length} ${editing}`);

  // One's own line is always brought into view.
  const ownLines = messages.reduce((count, m) => count + (m.senderType === "user" ? 1 : 0), 0);
  const before = useRef(ownLines);
  useEffect(() => {
    if (ownLines > before.current) toEnd();
    before.current = ownLines;
  }, [ownLines, toEnd]);

  useEffect(() => {
    if (spot) toMessage(spot.id, spot.focus);
  }, [spot, toMessage]);

  const step = next && (
    <Button size="small" className="push" onClick={onProceed}>
      {next === "continue" ? "Continue" : messages.at(-1)?.edited ? "Get the reply" : "Try again"}
    </Button>
  );
  const turn = (message: Message, index: number) => (
    <>
      {index === 0 && onEarlier && <Earlier onEarlier={onEarlier} />}
      {beginsDay(shown, index) && <p className="scene-break">{dayOfScene(message.createdAt)}</p>}
      <Turn
        message={message}
        speaker={message.senderType === "character" ? speaker : own}
        portrait={portrait}
        live={live !== null && (live.messageId === message._id || message._id === COMING_ID)}
        greeting={fresh === message._id && shown.length === 1}
        said={said[message._id]}
        character={speaker}
        newest={index === shown.length - 1}
        spotted={spot?.id === message._id}
        editing={editing === message._id}
        onEdit={setEditing}
        step={index === messages.length - 1 ? step : undefined}
      />
    </>
  );
  let items: ReactNode;
  if (virtual) {
    items = virtual.getVirtualItems().map(({ key, index, start }) => {
      const message = shown[index];
      return (
        message && (
          <div
            className="moment"
            key={key}
            ref={virtual.measureElement}
            data-index={index}
            style={{ top: start }}
          >
            {turn(message, index)}
          </div>
        )
      );
    });
  } else {
    items = shown.map((message, index) => (
      <div className="moment" key={placeOf(message)}>
        {turn(message, index)}
      </div>
    ));
  }
  return (
    <div className="lines-box">
      {/* What is new is told by the announcer: the list itself changes as it is scrolled. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller without focusable content must be reachable. */}
      <div className="lines" ref={scroller} tabIndex={0} role="log" aria-live="off" aria-label="Conversation">
        <div
          className={virtual ? "lines-in long" : "lines-in"}
          ref={content}
          style={virtual ? { height: virtual.getTotalSize() } : undefined}
        >
          {items}
        </div>
      </div>
      {away && (
        <Button size="small" className="to-end" onClick={toEnd}>
          <ArrowDown className="icon s" />
          Latest
        </Button>
      )}
    </div>
  );
}
