import { ChevronDown, Trash2 } from "lucide-react";
import { useState } from "react";
import type { LoreEntry } from "@/shared/api/types";
import { Button, Checkbox, SelectField, TextArea, TextField } from "@/shared/ui";
import { faultOf, keysOf, keyText, LOGIC, logicOf, numberOf } from "../api";

const MAX_NAME = 100;
const MAX_CONTENT = 4000;
/** Messages that can be searched, and places that numbers reach. */
const MAX_SCAN = 100;
const FAR = 100_000;

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

type PartProps = Pick<EntryEditorProps, "entry" | "onChange">;

/** The words that must be said as well, or must not. */
function Secondary({ entry, onChange }: PartProps) {
  const [keys, setKeys] = useState(() => keyText(entry.secondaryKeys, entry.regex));
  return (
    <div className="entry-second">
      <SelectField
        label="Logic"
        options={LOGIC}
        value={entry.logic}
        onChange={(event) => onChange({ logic: logicOf(event.target.value) })}
      />
      <TextField
        label="Secondary keys"
        hint="Left empty, the keys alone decide."
        value={keys}
        onChange={(event) => {
          setKeys(event.target.value);
          onChange({ secondaryKeys: keysOf(event.target.value, entry.regex) });
        }}
      />
    </div>
  );
}

/** Where an entry stands among the others, and how far it listens. */
function Numbers({ entry, onChange }: PartProps) {
  return (
    <div className="entry-numbers">
      <TextField
        label="Order"
        type="number"
        step={1}
        hint="Lower stands higher."
        value={entry.order}
        onChange={(event) => onChange({ order: numberOf(event.target.value, -FAR, FAR) ?? 0 })}
      />
      <TextField
        label="Depth"
        type="number"
        min={0}
        step={1}
        placeholder="0"
        hint="Messages from the newest above which it stands."
        value={entry.depth ?? ""}
        onChange={(event) => onChange({ depth: numberOf(event.target.value, 0, FAR) })}
      />
      <TextField
        label="Priority"
        type="number"
        step={1}
        placeholder="As the order"
        hint="Lower is left out first."
        value={entry.priority ?? ""}
        onChange={(event) => onChange({ priority: numberOf(event.target.value, -FAR, FAR) })}
      />
      <TextField
        label="Listens to"
        type="number"
        min={0}
        max={MAX_SCAN}
        step={1}
        placeholder="As the book"
        hint="Newest messages that are searched."
        value={entry.scanDepth ?? ""}
        onChange={(event) => onChange({ scanDepth: numberOf(event.target.value, 0, MAX_SCAN) })}
      />
      {entry.constant && (
        <SelectField
          label="Stands"
          options={[
            { value: "beforeCharacter", label: "before the character" },
            { value: "afterCharacter", label: "after the character" },
          ]}
          value={entry.position}
          onChange={(event) =>
            onChange({
              position: event.target.value === "beforeCharacter" ? "beforeCharacter" : "afterCharacter",
            })
          }
        />
      )}
    </div>
  );
}

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
        {!entry.constant && <Secondary key={String(entry.regex)} entry={entry} onChange={onChange} />}
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
          <Checkbox checked={entry.caseSensitive} onChange={(caseSensitive) => onChange({ caseSensitive })}>
            Capitals matter
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
        <details>
          <summary>Where it stands</summary>
          <Numbers entry={entry} onChange={onChange} />
        </details>
        <Button
          size="small"
          look="quiet"
          className="entry-remove"
          aria-label={`Delete entry ${title}`}
          onClick={onRemove}
        >
          <Trash2 className="icon s" />
          Delete entry
        </Button>
      </div>
    </details>
  );
}
