import { CornerDownRight, Pencil, Pin, PinOff, Trash2 } from "lucide-react";
import { useState } from "react";
import type { ChatMemory } from "@/shared/api/types";
import { Button, IconButton, TextArea } from "@/shared/ui";
import { useMessages } from "../i18n";
import { MAX_MEMORY_CHARS } from "../useMemories";

/** Whether a memory counts: the key of a few words on it. */
export function standing({ valid, inPrompt, pinned }: ChatMemory) {
  if (!valid) return "outside";
  if (inPrompt) return "inMind";
  return pinned ? "fromNext" : "notNeeded";
}

interface MemoryItemProps {
  memory: ChatMemory;
  onChange: (to: { text?: string; pinned?: boolean }) => void;
  onForget: () => void;
  onJump: (messageId: string) => void;
}

export function MemoryItem({ memory, onChange, onForget, onJump }: MemoryItemProps) {
  const t = useMessages("memory");
  const [edits, setEdits] = useState(false);
  const [text, setText] = useState(memory.text);
  const first = memory.sourceIds[0];
  const words = text.trim();
  const kind = memory.kind === "fact" ? "fact" : memory.edited ? "summaryEdited" : "summary";

  if (edits) {
    return (
      <li className="memory">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (words === "") return;
            if (words !== memory.text) onChange({ text: words });
            setEdits(false);
          }}
        >
          <TextArea
            label={t("memory")}
            hideLabel
            autoFocus
            rows={3}
            maxLength={MAX_MEMORY_CHARS}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <div className="memory-row end">
            <Button size="small" look="quiet" onClick={() => setEdits(false)}>
              {t("cancel")}
            </Button>
            <Button size="small" type="submit" disabled={words === ""}>
              {t("save")}
            </Button>
          </div>
        </form>
      </li>
    );
  }
  return (
    <li className={memory.valid ? "memory" : "memory out"}>
      <div className="memory-text">
        <p>{memory.text}</p>
        <p className="memory-meta">
          <b>{t(kind)}</b>
          {memory.scope === "character" && <span>{t("everyChat")}</span>}
          <span>{t(standing(memory))}</span>
        </p>
      </div>
      <div className="memory-tools">
        {first && (
          <Button size="small" look="quiet" onClick={() => onJump(first)}>
            <CornerDownRight className="icon s" />
            {t("sources", { count: memory.sourceIds.length })}
          </Button>
        )}
        <IconButton
          small
          label={t(memory.pinned ? "unpin" : "pin")}
          aria-pressed={memory.pinned}
          onClick={() => onChange({ pinned: !memory.pinned })}
        >
          {memory.pinned ? <PinOff className="icon s" /> : <Pin className="icon s" />}
        </IconButton>
        <IconButton
          small
          label={t("edit")}
          onClick={() => {
            setText(memory.text);
            setEdits(true);
          }}
        >
          <Pencil className="icon s" />
        </IconButton>
        <IconButton small label={t("delete")} onClick={onForget}>
          <Trash2 className="icon s" />
        </IconButton>
      </div>
    </li>
  );
}
