import { ChevronDown, Trash2 } from "lucide-react";
import { useState } from "react";
import type { LoreEntry } from "@/shared/api/types";
import { Checkbox, IconButton, TextArea, TextField } from "@/shared/ui";
import { faultOf, keysOf, keyText } from "../api";

const MAX_NAME = 100;
const MAX_CONTENT = 4000;

interface EntryEditorProps {
  entry: LoreEntry;
  /** Where it stands, from 1: its name while it has none. */
  place: number;
  open: boolean;
  onToggle: (open: boolean) => void;
  /** Faults are told once somebody has tried to save. */
  tried: boolean;
  onChange: (change: Partial<LoreEntry>) => void;
  onRemove: () => void;
}

/** A number field that may be empty. */
const numberOf = (text: string): number | null => (text.trim() === "" ? null : Math.trunc(Number(text)) || 0);

/** An entry of a lorebook: what it listens for, what it tells, and where that stands. */
export function EntryEditor({ entry, place, open, onToggle, tried, onChange, onRemove }: EntryEditorProps) {
  const [keys, setKeys] = useState(() => keyText(entry.keys, entry.regex));
  const fault = faultOf(entry);
  const title = entry.name || entry.keys[0] || `Entry ${place}`;
  return (
    <details
      className={tried && fault ? "entry wrong" : "entry"}
      open={open}
      onToggle={(event) => onToggle(event.currentTarget.open)}
    >
      <summary>
        <b>{title}</b>
        <span>{entry.constant ? "always told" : entry.keys.slice(0, 4).join(", ")}</span>
        {!entry.enabled && <small className="badge">Off</small>}
        <ChevronDown className="icon s" />
      </summary>
      <div className="entry-form">
        <TextField
          label="Name"
          hint="For yourself; the character does not read it."
          maxLength={MAX_NAME}
          value={entry.name}
          onChange={(event) => onChange({ name: event.target.value })}
        />
        <TextArea
          label="Keys"
          rows={2}
          hint={
            entry.regex
              ? "Regular expressions, one a line."
              : "Words with commas between them. One of them said, and the text is told."
          }
          value={keys}
          onChange={(event) => {
            setKeys(event.target.value);
            onChange({ keys: keysOf(event.target.value, entry.regex) });
          }}
        />
        <TextArea
          label="Text"
          rows={5}
          maxLength={MAX_CONTENT}
          error={tried && fault ? fault : undefined}
          value={entry.content}
          onChange={(event) => onChange({ content: event.target.value })}
        />
        <div className="entry-checks">
          <Checkbox checked={entry.constant} onChange={(constant) => onChange({ constant })}>
            Always told
          </Checkbox>
          <Checkbox checked={entry.enabled} onChange={(enabled) => onChange({ enabled })}>
            In use
          </Checkbox>
          <Checkbox checked={entry.wholeWords} onChange={(wholeWords) => onChange({ wholeWords })}>
            Whole words only
          </Checkbox>
          <Checkbox
            checked={entry.regex}
            onChange={(regex) => {
              onChange({ regex, keys: keysOf(keys, regex) });
            }}
          >
            Keys are regular expressions
          </Checkbox>
        </div>
        <div className="entry-numbers">
          <TextField
            label="Order"
            type="number"
            step={1}
            hint="Lower stands higher."
            value={entry.order}
            onChange={(event) => onChange({ order: numberOf(event.target.value) ?? 0 })}
          />
          <TextField
            label="Depth"
            type="number"
            min={0}
            step={1}
            placeholder="0"
            hint="Messages from the newest above which it stands."
            value={entry.depth ?? ""}
            onChange={(event) => {
              const depth = numberOf(event.target.value);
              onChange({ depth: depth === null ? null : Math.max(0, depth) });
            }}
          />
          <IconButton label={`Delete ${title}`} onClick={onRemove}>
            <Trash2 className="icon" />
          </IconButton>
        </div>
      </div>
    </details>
  );
}
