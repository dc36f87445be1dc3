import {
  Image,
  Maximize2,
  MessageCircle,
  Mic,
  Minimize2,
  SendHorizontal,
  Square,
  WifiOff,
} from "lucide-react";
import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { Link } from "react-router";
import type { ChatPage } from "@/shared/api/types";
import { CHAT_TOAST_MS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { toast } from "@/shared/toast";
import { IconButton, Meter, Segmented } from "@/shared/ui";
import { useOnline } from "../useOnline";

const IN_CHAT = { lifeMs: CHAT_TOAST_MS, draggable: true };
export const ON_THE_WAY = "That feature is otw 😋";
/** The desk grows with the text up to this, px; expanded, to a share of the window. */
const GROWN_PX = 180;
/** Most a line may hold, characters. */
export const MAX_LINE_CHARS = 4000;

interface ComposerProps {
  /** A reply is being written: Send becomes Stop. */
  live: boolean;
  /** Stop cannot be pressed yet, or was. */
  stopDisabled: boolean;
  onStop: () => void;
  /** False when the line was refused and stays in the field. */
  onSend: (content: string) => Promise<boolean>;
  usage: ChatPage["usage"];
  persona: ReactNode;
}

/** What is left of the allowance, in words and as a meter. */
function Allowance({ usage }: { usage: ChatPage["usage"] }) {
  const free = usage.freeLimit;
  if (free !== null) {
    // The last exchange may go one over; the count does not.
    const used = Math.min(usage.pathMessages, free);
    const text = `${used} of ${free} free messages`;
    return (
      <span className="count num">
        {text}
        <Meter label={text} value={used} max={free} />
      </span>
    );
  }
  if (usage.limit === null) return <span />;
  const text = `${usage.used.toLocaleString("en-GB")} of ${usage.limit.toLocaleString("en-GB")} messages this month`;
  return (
    <span className="count num">
      {text}
      <Meter label={text} value={usage.used} max={usage.limit} />
    </span>
  );
}

export function Composer({ live, stopDisabled, onStop, onSend, usage, persona }: ComposerProps) {
  const [text, setText] = useState("");
  const [expanded, setExpanded] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const content = text.trim();
  const online = useOnline();

  // biome-ignore lint/correctness/useExhaustiveDependencies: the text and the mode decide the height.
  useLayoutEffect(() => {
    const area = field.current;
    if (!area) return;
    area.style.height = "auto";
    const most = expanded ? globalThis.innerHeight * 0.6 : GROWN_PX;
    area.style.height = `${expanded ? most : Math.min(area.scrollHeight, most)}px`;
  }, [text, expanded]);

  const send = async () => {
    if (content === "" || live) {
      field.current?.focus();
      return;
    }
    setText("");
    setExpanded(false);
    const taken = await onSend(content);
    // Not taken: the line comes back, unless another has been begun meanwhile.
    if (!taken) setText((now) => (now === "" ? content : now));
    field.current?.focus();
  };

  return (
    <div className="composer">
      {!online && (
        <p className="offline" role="status">
          <WifiOff className="icon s" />
          You are offline. What is being written goes on once you are back.
        </p>
      )}
      <div className="composer-in">
        <form
          className="desk"
          onSubmit={(event) => {
            event.preventDefault();
            void send();
          }}
        >
          <label className="sr" htmlFor="say">
            Your line
          </label>
          <textarea
            id="say"
            ref={field}
            rows={1}
            maxLength={MAX_LINE_CHARS}
            placeholder="Your line. *Actions* between asterisks."
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              // An Enter that ends a composition of an input method is not a send.
              if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              void send();
            }}
          />
          <div className="desk-row">
            <Segmented
              label="Mode"
              value="chat"
              onChange={(mode) => {
                if (mode === "image") toast.info("In chat images coming soon", IN_CHAT);
              }}
              options={[
                {
                  value: "chat",
                  label: (
                    <>
                      <MessageCircle className="icon s" />
                      Chat
                    </>
                  ),
                },
                {
                  value: "image",
                  label: (
                    <>
                      <Image className="icon s" />
                      <span className="hide-s">Image</span>
                      <span className="sr only-s">Image</span>
                    </>
                  ),
                },
              ]}
            />
            {persona}
            <IconButton
              className="push"
              label={expanded ? "Make the field smaller" : "Expand"}
              aria-pressed={expanded}
              onClick={() => {
                setExpanded(!expanded);
                field.current?.focus();
              }}
            >
              {expanded ? <Minimize2 className="icon" /> : <Maximize2 className="icon" />}
            </IconButton>
            <IconButton
              className="hide-s"
              label="Voice, not available yet"
              onClick={() => toast.info(ON_THE_WAY, IN_CHAT)}
            >
              <Mic className="icon" />
            </IconButton>
            {live ? (
              <button
                type="button"
                className="send"
                aria-label="Stop"
                title="Stop"
                disabled={stopDisabled}
                onClick={onStop}
              >
                <Square className="icon s filled" />
              </button>
            ) : (
              <button type="submit" className="send" aria-label="Send" title="Send">
                <SendHorizontal className="icon" />
              </button>
            )}
          </div>
        </form>
        <div className="under">
          <Allowance usage={usage} />
          <span className="hide-s">Enter sends, Shift and Enter starts a line</span>
          {usage.freeLimit !== null && (
            <Link className="link" to={paths.membership}>
              Membership
            </Link>
          )}
        </div>
      </div>
    </div>
  );
}
