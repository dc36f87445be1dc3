import { ArrowDown } from "lucide-react";
import { type ReactNode, useCallback, useEffect, useState } from "react";
import type { Message } from "@/shared/api/types";
import { useKeptFocus } from "@/shared/hooks/useKeptFocus";
import { Button } from "@/shared/ui";
import { type Conversation, hasEarlier, LOCAL_ID, nextStep } from "../conversation";
import { useMessages } from "../i18n";
import type { Spot } from "../useBranches";
import { useEarlier } from "../useEarlier";
import { useFollow } from "../useFollow";
import type { Past } from "../useHistory";
import { useMarks } from "../useMarks";
import { useTimes } from "../useTimes";
import { Earlier } from "./Earlier";
import { Turn } from "./Turn";

const DAY_MS = 24 * 60 * 60 * 1000;

/** `Today`, `Yesterday`, or the day's name. */
function useDays() {
  const t = useMessages("talk");
  const { weekday } = useTimes();
  return (time: string, now = new Date()): string => {
    const day = new Date(time).toDateString();
    if (day === now.toDateString()) return t("today");
    if (day === new Date(now.getTime() - DAY_MS).toDateString()) return t("yesterday");
    return weekday(time);
  };
}

const beginsDay = (messages: readonly Message[], index: number) => {
  const before = messages[index - 1];
  const here = messages[index];
  // Of the day before the first message nothing is known while it is not the first of all.
  if (!before || !here) return !hasEarlier(messages);
  return new Date(before.createdAt).toDateString() !== new Date(here.createdAt).toDateString();
};

interface LinesProps {
  conversation: Conversation;
  speaker: string;
  own: string;
  portrait: string | null;
  onProceed: () => void;
  /** Fetches what was said before the first message; null when nothing was. */
  onEarlier: Past["earlier"];
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
  const t = useMessages("talk");
  const label = t("conversation");
  const dayOfScene = useDays();
  const { messages, live, said } = conversation;
  const [editing, setEditing] = useState<string | null>(null);
  // Only a chat that opened with nothing but its greeting types it.
  const [fresh] = useState(messages.length === 1 && !hasEarlier(messages) ? messages[0]?._id : undefined);
  const next = nextStep(conversation);

  const first = messages[0];
  const last = messages.at(-1);
  const waitsForFirst = live !== null && last && !messages.some((m) => m._id === live.messageId);
  const shown = waitsForFirst ? [...messages, toCome(last)] : messages;
  const { scroller, content, away, toEnd, toMessage, virtual } = useFollow(shown, placeOf, editing);
  useMarks(content, marks);
  useKeptFocus(scroller, `${messages.length} ${editing}`);

  const earlier = useEarlier(scroller, onEarlier);

  // One's own line is brought into view as it is said; what was said elsewhere leaves the reader in peace.
  const speaking = messages.some(({ _id }) => _id === LOCAL_ID);
  useEffect(() => {
    if (speaking) toEnd();
  }, [speaking, toEnd]);

  useEffect(() => {
    if (spot) toMessage(spot.id, spot.focus);
  }, [spot, toMessage]);

  const step = next && (
    <Button size="small" className="push" onClick={onProceed}>
      {t(next === "continue" ? "continue" : messages.at(-1)?.edited ? "getReply" : "tryAgain")}
    </Button>
  );
  const turn = (message: Message, index: number) => (
    <>
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
      <Earlier
        {...earlier}
        onLast={useCallback(() => scroller.current?.focus({ preventScroll: true }), [scroller])}
        onCame={() => first && toMessage(first._id, false)}
      />
      {/* What is new is told by the announcer: the list itself changes as it is scrolled. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller without focusable content must be reachable. */}
      <div className="lines" ref={scroller} tabIndex={0} role="log" aria-live="off" aria-label={label}>
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
          {t("latest")}
        </Button>
      )}
    </div>
  );
}
