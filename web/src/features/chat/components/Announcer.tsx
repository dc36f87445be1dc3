import { useEffect, useRef, useState } from "react";
import type { Message } from "@/shared/api/types";
import { sentences } from "../announce";
import { type Conversation, HELP_REASON } from "../conversation";
import { useMessages } from "../i18n";

/** Sentences that stay in the page after they were told. */
const KEPT = 6;

interface Said {
  key: string;
  text: string;
}

/** The reply that is told now, and how much of it was. */
interface Telling {
  id: string;
  told: number;
}

const isReply = (message: Message | undefined) =>
  message?.senderType === "character" && message.parentId !== null;

/** Reads a reply out as it is written, a sentence at a time, to those who listen to the page. */
export function Announcer({ conversation, speaker }: { conversation: Conversation; speaker: string }) {
  const t = useMessages("talk");
  const { messages, live } = conversation;
  const [said, setSaid] = useState<readonly Said[]>([]);
  const telling = useRef<Telling | null>(null);
  const last = messages.at(-1);
  /** A reply was asked for; and the message that stood last before it. */
  const waits = useRef(false);
  const known = useRef(last?._id);

  useEffect(() => {
    if (live?.messageId === null) waits.current = true;
    const isNew = waits.current && isReply(last) && last?._id !== known.current;
    if (isNew && last) {
      waits.current = false;
      telling.current = { id: last._id, told: 0 };
    } else if (!live) waits.current = false;
    if (!waits.current) known.current = last?._id;
    if (live && last && live.messageId === last._id && telling.current?.id !== last._id) {
      // What stood there before the page came is read with the page.
      telling.current = { id: last._id, told: sentences(last.content, true).length };
    }
    const now = telling.current;
    if (!now || !last || last._id !== now.id || !isReply(last)) {
      if (!live) telling.current = null;
      return;
    }
    const growing = live?.messageId === last._id;
    const whole = sentences(last.content, growing);
    const fresh = whole.slice(now.told);
    if (fresh.length > 0) {
      const from = now.told;
      now.told = whole.length;
      const lines = fresh.map((sentence, at) => ({
        key: `${now.id}-${from + at}`,
        text: from + at === 0 && last.reason !== HELP_REASON ? `${speaker}: ${sentence}` : sentence,
      }));
      setSaid((before) => [...before, ...lines].slice(-KEPT));
    }
    if (!growing) telling.current = null;
  }, [last, live, speaker]);

  return (
    <div className="sr" role="log" aria-live="polite" aria-relevant="additions" aria-label={t("replies")}>
      {said.map(({ key, text }) => (
        <p key={key}>{text}</p>
      ))}
    </div>
  );
}
