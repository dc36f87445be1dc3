import { ArrowDown } from "lucide-react";
import { Fragment, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Message } from "@/shared/api/types";
import { Button } from "@/shared/ui";
import { type Conversation, nextStep } from "../conversation";
import { Tile, Turn, TypingDots } from "./Turn";

/** This close to the end still counts as reading along, px. */
const AT_END_PX = 80;

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

/** Follows the end of the text while the reader is there, and leaves them alone when they have scrolled up. */
function useFollow() {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  const [away, setAway] = useState(false);

  const toEnd = useCallback(() => {
    const box = scroller.current;
    if (box) box.scrollTop = box.scrollHeight;
    following.current = true;
    setAway(false);
  }, []);

  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box || !content.current) return;
    toEnd();
    const grown = new ResizeObserver(() => {
      if (following.current) box.scrollTop = box.scrollHeight;
    });
    grown.observe(content.current);
    grown.observe(box);
    const scrolled = () => {
      following.current = box.scrollHeight - box.scrollTop - box.clientHeight < AT_END_PX;
      setAway(!following.current);
    };
    box.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      grown.disconnect();
      box.removeEventListener("scroll", scrolled);
    };
  }, [toEnd]);

  return { scroller, content, away, toEnd };
}

interface LinesProps {
  conversation: Conversation;
  speaker: string;
  own: string;
  portrait: string | null;
  onProceed: () => void;
}

/** The talk so far. */
export function Lines({ conversation, speaker, own, portrait, onProceed }: LinesProps) {
  const { messages, live, said } = conversation;
  const { scroller, content, away, toEnd } = useFollow();
  // Only a chat that opened with nothing but its greeting types it.
  const [fresh] = useState(messages.length === 1 && messages[0]?.senderType === "character");
  const next = nextStep(conversation);

  // One's own line is always brought into view.
  const ownLines = messages.reduce((count, m) => count + (m.senderType === "user" ? 1 : 0), 0);
  const before = useRef(ownLines);
  useEffect(() => {
    if (ownLines > before.current) toEnd();
    before.current = ownLines;
  }, [ownLines, toEnd]);

  const waitsForFirst = live !== null && !messages.some((m) => m._id === live.messageId);
  const step = next && (
    <div className="tools">
      <Button size="small" className="push" onClick={onProceed}>
        {next === "continue" ? "Continue" : "Try again"}
      </Button>
    </div>
  );
  return (
    <div className="lines-box">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller without focusable content must be reachable. */}
      <div className="lines" ref={scroller} tabIndex={0} role="log" aria-label="Conversation">
        <div className="lines-in" ref={content}>
          {messages.map((message, index) => (
            <Fragment key={message._id}>
              {beginsDay(messages, index) && <p className="scene-break">{dayOfScene(message.createdAt)}</p>}
              <Turn
                message={message}
                speaker={message.senderType === "character" ? speaker : own}
                portrait={portrait}
                live={live?.messageId === message._id}
                greeting={fresh && index === 0}
                said={said[message._id]}
                tools={index === messages.length - 1 ? step : undefined}
              />
            </Fragment>
          ))}
          {waitsForFirst && (
            <article className="turn" aria-busy="true">
              <Tile src={portrait} />
              <div>
                <p className="cue">
                  <Tile src={portrait} />
                  <b>{speaker}</b>
                </p>
                <TypingDots name={speaker} />
              </div>
            </article>
          )}
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
