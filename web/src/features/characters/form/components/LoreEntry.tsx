import { ChevronDown, Trash2 } from "lucide-react";
import { useId, useState } from "react";
import { Controller, type UseFormReturn, useWatch } from "react-hook-form";
import { cut } from "@/shared/format";
import { Button, Switch, TextField } from "@/shared/ui";
import type { CharacterForm } from "../schema";
import { Counted } from "./Counted";

/** Characters of a title made of keys. */
const TITLE_CHARS = 60;

interface LoreEntryProps {
  form: UseFormReturn<CharacterForm>;
  index: number;
  onRemove: () => void;
}

/** One entry: a line that opens. Closed ones draw no fields, so that a book of hundreds stays quick. */
export function LoreEntry({ form, index, onRemove }: LoreEntryProps) {
  const path = `book.entries.${index}` as const;
  const entry = useWatch({ control: form.control, name: path });
  const errors = form.formState.errors.book?.entries?.[index];
  const [opened, setOpened] = useState(entry?.content === "" && entry.keys === "");
  const body = useId();
  if (!entry) return null;
  const open = opened || errors !== undefined;
  const title = entry.name.trim() || entry.keys.trim() || cut(entry.content, TITLE_CHARS) || "New entry";
  const told = entry.constant ? "Always told" : entry.keys.trim() === "" ? "No keys yet" : null;
  return (
    <li className="lore-entry">
      <button
        type="button"
        className="lore-head"
        aria-expanded={open}
        aria-controls={body}
        onClick={() => setOpened(!open)}
      >
        <ChevronDown className="icon s" />
        <b>{cut(title, TITLE_CHARS)}</b>
        <span className="text-3">{[told, !entry.enabled && "Off"].filter(Boolean).join(" · ")}</span>
      </button>
      {open && (
        <div className="lore-body" id={body}>
          <TextField
            label="Name"
            hint="For you; the character does not read it."
            {...form.register(`${path}.name`)}
          />
          <div className="lore-pair">
            <TextField
              label="Keys"
              hint="Words that call it up, separated by commas."
              {...form.register(`${path}.keys`)}
            />
            <TextField
              label="Secondary keys"
              hint="When given, one of these must be said as well."
              {...form.register(`${path}.secondaryKeys`)}
            />
          </div>
          <Counted
            form={form}
            name={`${path}.content`}
            label="Text"
            rows={4}
            hint="What the character then knows."
            error={errors?.content?.message}
          />
          <div className="lore-three">
            <TextField
              label="Order"
              inputMode="numeric"
              hint="Lower stands higher."
              error={errors?.order?.message}
              {...form.register(`${path}.order`)}
            />
            <TextField
              label="Priority"
              inputMode="numeric"
              hint="Lower is left out first."
              error={errors?.priority?.message}
              {...form.register(`${path}.priority`)}
            />
            <TextField
              label="Depth"
              inputMode="numeric"
              hint="Messages from the newest."
              error={errors?.depth?.message}
              {...form.register(`${path}.depth`)}
            />
          </div>
          <div className="lore-foot">
            <Controller
              control={form.control}
              name={`${path}.enabled`}
              render={({ field }) => (
                <Switch checked={field.value} onChange={field.onChange}>
                  In use
                </Switch>
              )}
            />
            <Controller
              control={form.control}
              name={`${path}.constant`}
              render={({ field }) => (
                <Switch checked={field.value} onChange={field.onChange}>
                  Constant: always told
                </Switch>
              )}
            />
            <Button size="small" look="quiet" onClick={onRemove}>
              <Trash2 className="icon s" />
              Remove entry
            </Button>
          </div>
        </div>
      )}
    </li>
  );
}
