import { ChevronDown, Trash2 } from "lucide-react";
import { Controller, type UseFormReturn, useFormState, useWatch } from "react-hook-form";
import { Button, Checkbox, TextArea, TextField } from "@/shared/ui";
import { keysOf, keyText } from "../api";
import { LIMITS, type LorebookForm } from "../form";
import { useMessages } from "../i18n";
import { EntryPlace, SecondaryKeys } from "./EntryParts";

/** Keys that a closed entry shows. */
const SHOWN_KEYS = 4;

interface EntryEditorProps {
  form: UseFormReturn<LorebookForm>;
  index: number;
  open: boolean;
  onToggle: (open: boolean) => void;
  onRemove: () => void;
}

/** What an entry is, in yes and no. */
function Checks({ form, index }: Pick<EntryEditorProps, "form" | "index">) {
  const t = useMessages("form");
  const path = `entries.${index}` as const;
  /** Keys stand on lines of their own where they are expressions, since those may hold commas. */
  const rewrite = (regex: boolean) => {
    for (const name of [`${path}.keys`, `${path}.secondaryKeys`] as const) {
      form.setValue(name, keyText(keysOf(form.getValues(name), !regex), regex));
    }
  };
  const check = (name: "constant" | "enabled" | "wholeWords" | "caseSensitive" | "regex", label: string) => (
    <Controller
      control={form.control}
      name={`${path}.${name}`}
      render={({ field }) => (
        <Checkbox
          checked={field.value}
          onChange={(on) => {
            if (name === "regex") rewrite(on);
            field.onChange(on);
          }}
        >
          {label}
        </Checkbox>
      )}
    />
  );
  return (
    <div className="entry-checks">
      {check("constant", t("always"))}
      {check("enabled", t("inUse"))}
      {check("wholeWords", t("whole"))}
      {check("caseSensitive", t("capitals"))}
      {check("regex", t("regex"))}
    </div>
  );
}

/** An entry of a lorebook: what it listens for, what it tells, and where that stands. */
export function EntryEditor({ form, index, open, onToggle, onRemove }: EntryEditorProps) {
  const t = useMessages("form");
  const path = `entries.${index}` as const;
  const entry = useWatch({ control: form.control, name: path });
  const errors = useFormState({ control: form.control, name: path }).errors.entries?.[index];
  if (!entry) return null;
  const keys = keysOf(entry.keys, entry.regex);
  const title = entry.name || keys[0] || t("entry", { place: index + 1 });
  return (
    <details
      className={errors ? "entry wrong" : "entry"}
      open={open}
      onToggle={(event) => onToggle(event.currentTarget.open)}
    >
      <summary>
        <b>{title}</b>
        <span>{entry.constant ? t("alwaysTold") : keys.slice(0, SHOWN_KEYS).join(", ")}</span>
        {!entry.enabled && <small className="badge">{t("off")}</small>}
        <ChevronDown className="icon s" />
      </summary>
      <div className="entry-form">
        <TextField
          label={t("name")}
          hint={t("entryNameHint")}
          maxLength={LIMITS.name}
          {...form.register(`${path}.name`)}
        />
        <TextArea
          label={t("keys")}
          rows={2}
          hint={t(entry.regex ? "keysRegex" : "keysHint")}
          error={errors?.keys && t("needsKey")}
          {...form.register(`${path}.keys`, { deps: [`${path}.content`] })}
        />
        {!entry.constant && <SecondaryKeys form={form} index={index} />}
        <TextArea
          label={t("text")}
          rows={5}
          maxLength={LIMITS.content}
          error={errors?.content && t("needsText")}
          {...form.register(`${path}.content`)}
        />
        <Checks form={form} index={index} />
        <details
          open={errors?.order || errors?.depth || errors?.priority || errors?.scanDepth ? true : undefined}
        >
          <summary>{t("where")}</summary>
          <EntryPlace form={form} index={index} constant={entry.constant} errors={errors} />
        </details>
        <Button
          size="small"
          look="quiet"
          className="entry-remove"
          aria-label={t("deleteEntryNamed", { name: title })}
          onClick={onRemove}
        >
          <Trash2 className="icon s" />
          {t("deleteEntry")}
        </Button>
      </div>
    </details>
  );
}
