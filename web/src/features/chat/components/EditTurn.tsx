import { useLayoutEffect, useRef, useState } from "react";
import type { Message } from "@/shared/api/types";
import { Button } from "@/shared/ui";
import { useMessages } from "../i18n";
import { useTurnActions } from "../turnActions";
import { MAX_LINE_CHARS } from "./Composer";

/** Most a reply may hold, characters. */
const MAX_REPLY_CHARS = 16_000;
/** The field grows with its words up to this, px. */
const GROWN_PX = 420;

/** Words of an edit that was sent: should it not be taken, the field opens with them again. */
const drafts = new WeakMap<Message, string>();

interface EditTurnProps {
  message: Message;
  onClose: () => void;
}

/** A message's words, to be changed where they stand. The old ones stay as another version. */
export function EditTurn({ message, onClose }: EditTurnProps) {
  const t = useMessages("turn");
  const { edit, locked } = useTurnActions();
  const [text, setText] = useState(() => drafts.get(message) ?? message.content);
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const own = message.senderType === "user";
  const content = text.trim();
  const refused = locked !== null || content === "" || busy;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the text decides the height.
  useLayoutEffect(() => {
    const area = field.current;
    if (!area) return;
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight + 2, GROWN_PX)}px`;
  }, [text]);
  useLayoutEffect(() => {
    const area = field.current;
    area?.focus();
    area?.setSelectionRange(area.value.length, area.value.length);
  }, []);

  const save = async (reply: boolean) => {
    if (refused) return;
    if (content === message.content && !reply) return onClose();
    setBusy(true);
    drafts.set(message, text);
    const taken = await edit(message, content, reply);
    setBusy(false);
    if (!taken) return;
    drafts.delete(message);
    onClose();
  };

  return (
    <form
      className="edit-turn"
      onSubmit={(event) => {
        event.preventDefault();
        void save(own);
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void save(own);
      }}
    >
      <textarea
        ref={field}
        className="input prose"
        aria-label={t(own ? "editOwn" : "editTheirs")}
        maxLength={own ? MAX_LINE_CHARS : MAX_REPLY_CHARS}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="edit-row">
        <span className="hint">{locked ?? t("oldStay")}</span>
        <Button size="small" look="quiet" onClick={onClose}>
          {t("cancel")}
        </Button>
        {own && (
          <Button size="small" disabled={refused} onClick={() => void save(false)}>
            {t("save")}
          </Button>
        )}
        <Button size="small" type="submit" busy={busy} disabled={refused}>
          {t(own ? "saveReply" : "save")}
        </Button>
      </div>
    </form>
  );
}
