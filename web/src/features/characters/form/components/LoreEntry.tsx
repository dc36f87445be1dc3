import { ChevronDown, Trash2 } from "lucide-react";
import { useId, useState } from "react";
import { Controller, type UseFormReturn, useWatch } from "react-hook-form";
import { cut } from "@/shared/brief";
import { Button, Switch, TextField } from "@/shared/ui";
import { useMessages } from "../i18n";
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
  const t = useMessages("lore");
  const path = `book.entries.${index}` as const;
  const entry = useWatch({ control: form.control, name: path });
  const errors = form.formState.errors.book?.entries?.[index];
  const [opened, setOpened] = useState(entry?.content === "" && entry.keys === "");
  const body = useId();
  if (!entry) return null;
  const open = opened || errors !== undefined;
  const title = entry.name.trim() || entry.keys.trim() || cut(entry.content, TITLE_CHARS) || t("newEntry");
  const told = entry.constant ? t("alwaysTold") : entry.keys.trim() === "" ? t("noKeys") : null;
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
        <span className="text-3">{[told, !entry.enabled && t("off")].filter(Boolean).join(" · ")}</span>
      </button>
      {open && (
        <div className="lore-body" id={body}>
          <TextField label={t("name")} hint={t("nameHint")} {...form.register(`${path}.name`)} />
          <div className="lore-pair">
            <TextField label={t("keys")} hint={t("keysHint")} {...form.register(`${path}.keys`)} />
            <TextField
              label={t("secondary")}
              hint={t("secondaryHint")}
              {...form.register(`${path}.secondaryKeys`)}
            />
          </div>
          <Counted
            form={form}
            name={`${path}.content`}
            label={t("text")}
            rows={4}
            hint={t("textHint")}
            error={errors?.content?.message}
          />
          <div className="lore-three">
            <TextField
              label={t("order")}
              inputMode="numeric"
              hint={t("orderHint")}
              error={errors?.order?.message}
              {...form.register(`${path}.order`)}
            />
            <TextField
              label={t("priority")}
              inputMode="numeric"
              hint={t("priorityHint")}
              error={errors?.priority?.message}
              {...form.register(`${path}.priority`)}
            />
            <TextField
              label={t("depth")}
              inputMode="numeric"
              hint={t("depthHint")}
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
                  {t("inUse")}
                </Switch>
              )}
            />
            <Controller
              control={form.control}
              name={`${path}.constant`}
              render={({ field }) => (
                <Switch checked={field.value} onChange={field.onChange}>
                  {t("constant")}
                </Switch>
              )}
            />
            <Button size="small" look="quiet" onClick={onRemove}>
              <Trash2 className="icon s" />
              {t("remove")}
            </Button>
          </div>
        </div>
      )}
    </li>
  );
}
