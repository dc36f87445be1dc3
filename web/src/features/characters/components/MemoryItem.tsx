import { Pencil, Pin, Trash2 } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import type { Memory, MemoryPatch } from "@/shared/api/types";
import { dayOf } from "@/shared/format";
import { paths } from "@/shared/paths";
import { Link } from "@/shared/router";
import { Button, Dialog, IconButton, Segmented, TextArea } from "@/shared/ui";
import { useMessages } from "../i18n";
import { IMPORTANCES, MAX_MEMORY_CHARS } from "../memories";

interface MemoryItemProps {
  memory: Memory;
  /** What the chat goes by; undefined while that is not known. */
  chatName: string | undefined;
  onChange: (patch: MemoryPatch) => void;
  onForget: () => void;
}

function EditForm({ memory, onSave, onCancel }: MemoryEdit) {
  const t = useMessages("memories");
  const [text, setText] = useState(memory.text);
  const [importance, setImportance] = useState(String(memory.importance));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave({ text: text.trim(), importance: Number(importance) });
  };
  return (
    <form className="recall-form" onSubmit={submit}>
      <TextArea
        label={t("text")}
        rows={3}
        maxLength={MAX_MEMORY_CHARS}
        value={text}
        autoFocus
        onChange={(event) => setText(event.target.value)}
      />
      <div className="recall-weight">
        <span className="label">{t("importance")}</span>
        <Segmented
          label={t("importance")}
          value={importance}
          onChange={setImportance}
          options={IMPORTANCES.map((value) => ({ value, label: value }))}
        />
      </div>
      <div className="recall-foot">
        <Button size="small" type="submit" disabled={text.trim() === ""}>
          {t("save")}
        </Button>
        <Button size="small" look="quiet" onClick={onCancel}>
          {t("cancel")}
        </Button>
      </div>
    </form>
  );
}

interface MemoryEdit {
  memory: Memory;
  onSave: (patch: MemoryPatch) => void;
  onCancel: () => void;
}

/** One thing a character remembers: read, pinned, put right, or forgotten. */
export function MemoryItem({ memory, chatName, onChange, onForget }: MemoryItemProps) {
  const t = useMessages("memories");
  const [editing, setEditing] = useState(false);
  const [asking, setAsking] = useState(false);
  const item = useRef<HTMLLIElement>(null);

  const close = () => {
    setEditing(false);
    // Back to where the form came from, once that is drawn again.
    requestAnimationFrame(() => item.current?.querySelector<HTMLElement>("[data-edit]")?.focus());
  };
  return (
    <li className="recall" ref={item} data-pinned={memory.pinned || undefined}>
      {editing ? (
        <EditForm
          memory={memory}
          onCancel={close}
          onSave={(patch) => {
            onChange(patch);
            close();
          }}
        />
      ) : (
        <>
          <p className="recall-text">{memory.text}</p>
          <div className="recall-tools">
            <IconButton
              small
              label={t(memory.pinned ? "unpin" : "pin")}
              aria-pressed={memory.pinned}
              onClick={() => onChange({ pinned: !memory.pinned })}
            >
              <Pin className="icon s" />
            </IconButton>
            <IconButton small label={t("edit")} data-edit="" onClick={() => setEditing(true)}>
              <Pencil className="icon s" />
            </IconButton>
            <IconButton small label={t("forget")} onClick={() => setAsking(true)}>
              <Trash2 className="icon s" />
            </IconButton>
          </div>
          <p className="recall-meta num">
            <span>{t(memory.kind === "fact" ? "fact" : "summary")}</span>
            <span>{t("weight", { importance: memory.importance })}</span>
            {memory.chatId === null ? (
              <span>{t("everyChat")}</span>
            ) : (
              <Link className="link" to={paths.chat(memory.characterId, { chat: memory.chatId })}>
                {chatName ?? t("oneChat")}
              </Link>
            )}
            <span>{dayOf(memory.createdAt)}</span>
            {memory.edited && <span>{t("edited")}</span>}
          </p>
        </>
      )}
      <Dialog open={asking} onClose={() => setAsking(false)} title={t("forgetTitle")}>
        <p className="text-2">{t("forgetText")}</p>
        <div className="row">
          <Button onClick={() => setAsking(false)}>{t("keep")}</Button>
          <Button
            look="rouge"
            onClick={() => {
              setAsking(false);
              onForget();
            }}
          >
            {t("forget")}
          </Button>
        </div>
      </Dialog>
    </li>
  );
}
