import { CornerDownRight, Pencil, Pin, PinOff, Trash2 } from "lucide-react";
import { useState } from "react";
import type { ChatMemory } from "@/shared/api/types";
import { plural } from "@/shared/format";
import { Button, IconButton, TextArea } from "@/shared/ui";
import { MAX_MEMORY_CHARS } from "./MemoryDialog";

/** Whether a memory counts, in a few words. */
export function standing({ valid, inPrompt, pinned }: ChatMemory): string {
  if (!valid) return "Not on this branch: what it was made from is not among the messages shown";
  if (inPrompt) return "In mind for the last reply";
  return pinned ? "In mind from the next reply on" : "Not needed for the last reply";
}

interface MemoryItemProps {
  memory: ChatMemory;
  onChange: (to: { text?: string; pinned?: boolean }) => void;
  onForget: () => void;
  onJump: (messageId: string) => void;
}

export function MemoryItem({ memory, onChange, onForget, onJump }: MemoryItemProps) {
  const [mode, setMode] = useState<"read" | "edit" | "forget">("read");
  const [text, setText] = useState(memory.text);
  const first = memory.sourceIds[0];
  const words = text.trim();
  const kind = memory.kind === "summary" ? (memory.edited ? "Summary, edited" : "Summary") : "Fact";

  if (mode === "edit") {
    return (
      <li className="memory">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (words === "") return;
            if (words !== memory.text) onChange({ text: words });
            setMode("read");
          }}
        >
          <TextArea
            label="Memory"
            hideLabel
            autoFocus
            rows={3}
            maxLength={MAX_MEMORY_CHARS}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <div className="memory-row end">
            <Button size="small" look="quiet" onClick={() => setMode("read")}>
              Cancel
            </Button>
            <Button size="small" type="submit" disabled={words === ""}>
              Save
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
          <b>{kind}</b>
          {memory.scope === "character" && <span>every chat</span>}
          <span>{standing(memory)}</span>
        </p>
      </div>
      {mode === "forget" ? (
        <div className="memory-row end">
          <span className="hint">It cannot be brought back.</span>
          <Button size="small" autoFocus onClick={() => setMode("read")}>
            Keep it
          </Button>
          <Button size="small" look="rouge" onClick={onForget}>
            Delete
          </Button>
        </div>
      ) : (
        <div className="memory-tools">
          {first && (
            <Button size="small" look="quiet" onClick={() => onJump(first)}>
              <CornerDownRight className="icon s" />
              {plural(memory.sourceIds.length, "message")}
            </Button>
          )}
          <IconButton
            small
            label={memory.pinned ? "Unpin" : "Pin: always in mind"}
            aria-pressed={memory.pinned}
            onClick={() => onChange({ pinned: !memory.pinned })}
          >
            {memory.pinned ? <PinOff className="icon s" /> : <Pin className="icon s" />}
          </IconButton>
          <IconButton
            small
            label="Edit"
            onClick={() => {
              setText(memory.text);
              setMode("edit");
            }}
          >
            <Pencil className="icon s" />
          </IconButton>
          <IconButton
            small
            label="Delete"
            onClick={() => (memory.kind === "summary" ? setMode("forget") : onForget())}
          >
            <Trash2 className="icon s" />
          </IconButton>
        </div>
      )}
    </li>
  );
}
