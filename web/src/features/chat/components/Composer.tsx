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
import { type ReactNode, useCallback, useLayoutEffect, useRef, useState } from "react";
import type { ChatPage } from "@/shared/api/types";
import { CHAT_TOAST_MS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { Link } from "@/shared/router";
import { toast } from "@/shared/toast";
import { IconButton, Segmented } from "@/shared/ui";
import { keepLine, readLine } from "@/shared/unsent";
import { messages, useMessages } from "../i18n";
import { useOnline } from "../useOnline";
import { Allowance } from "./Allowance";

const IN_CHAT = { lifeMs: CHAT_TOAST_MS, draggable: true };
/** For what is announced and not there yet. */
export const tellSoon = () => void toast.info(messages("composer")("soon"), IN_CHAT);
/** The desk grows with the text up to this, px; expanded, to a share of the window. */
const GROWN_PX = 180;
/** Most a line may hold, characters. */
export const MAX_LINE_CHARS = 4000;

interface ComposerProps {
  chatId: string;
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

/** A line as it is written; what was begun before a reload is there again. */
function useLine(chatId: string) {
  const [text, setText] = useState(() => readLine(chatId));
  const now = useRef(text);
  const write = useCallback(
    (line: string) => {
      now.current = line;
      setText(line);
      keepLine(chatId, line);
    },
    [chatId],
  );
  return { text, now, write };
}

/** What is written: a line. Pictures are announced. */
function Mode() {
  const t = useMessages("composer");
  return (
    <Segmented
      label={t("mode")}
      value="chat"
      onChange={(mode) => {
        if (mode === "image") toast.info(t("imageSoon"), IN_CHAT);
      }}
      options={[
        {
          value: "chat",
          label: (
            <>
              <MessageCircle className="icon s" />
              {t("chat")}
            </>
          ),
        },
        {
          value: "image",
          label: (
            <>
              <Image className="icon s" />
              <span className="hide-s">{t("image")}</span>
              <span className="sr only-s">{t("image")}</span>
            </>
          ),
        },
      ]}
    />
  );
}

export function Composer({ chatId, live, stopDisabled, onStop, onSend, usage, persona }: ComposerProps) {
  const t = useMessages("composer");
  const { text, now, write } = useLine(chatId);
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
    write("");
    setExpanded(false);
    const taken = await onSend(content);
    // Not taken: the line comes back, unless another has been begun meanwhile.
    if (!taken && now.current === "") write(content);
    field.current?.focus();
  };

  return (
    <div className="composer">
      {!online && (
        <p className="offline" role="status">
          <WifiOff className="icon s" />
          {t("offline")}
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
            {t("label")}
          </label>
          <textarea
            id="say"
            ref={field}
            rows={1}
            maxLength={MAX_LINE_CHARS}
            placeholder={t("placeholder")}
            value={text}
            onChange={(event) => write(event.target.value)}
            onKeyDown={(event) => {
              // An Enter that ends a composition of an input method is not a send.
              if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              void send();
            }}
          />
          <div className="desk-row">
            <Mode />
            {persona}
            <IconButton
              className="push"
              label={t(expanded ? "shrink" : "expand")}
              aria-pressed={expanded}
              onClick={() => {
                setExpanded(!expanded);
                field.current?.focus();
              }}
            >
              {expanded ? <Minimize2 className="icon" /> : <Maximize2 className="icon" />}
            </IconButton>
            <IconButton className="hide-s" label={t("voice")} onClick={tellSoon}>
              <Mic className="icon" />
            </IconButton>
            {live ? (
              <button
                type="button"
                className="send"
                aria-label={t("stop")}
                title={t("stop")}
                disabled={stopDisabled}
                onClick={onStop}
              >
                <Square className="icon s filled" />
              </button>
            ) : (
              <button type="submit" className="send" aria-label={t("send")} title={t("send")}>
                <SendHorizontal className="icon" />
              </button>
            )}
          </div>
        </form>
        <div className="under">
          <Allowance usage={usage} />
          <span className="hide-s">{t("keys")}</span>
          {usage.freeLimit !== null && (
            <Link className="link" to={paths.membership}>
              {t("membership")}
            </Link>
          )}
        </div>
      </div>
    </div>
  );
}
