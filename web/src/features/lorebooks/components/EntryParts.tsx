import type { FieldErrors, UseFormReturn } from "react-hook-form";
import { SelectField, TextArea, TextField } from "@/shared/ui";
import { type EntryForm, LIMITS, type LorebookForm } from "../form";
import { useMessages } from "../i18n";

interface PartProps {
  form: UseFormReturn<LorebookForm>;
  index: number;
}

/** How the rest of the keys decides. */
const LOGIC = ["andAny", "andAll", "notAny", "notAll"] as const;

/** The words that must be said as well, or must not. */
export function SecondaryKeys({ form, index }: PartProps) {
  const t = useMessages("form");
  return (
    <div className="entry-second">
      <SelectField
        label={t("logic")}
        options={LOGIC.map((value) => ({ value, label: t(value) }))}
        {...form.register(`entries.${index}.logic`)}
      />
      <TextArea
        label={t("secondary")}
        rows={1}
        hint={t("secondaryHint")}
        {...form.register(`entries.${index}.secondaryKeys`)}
      />
    </div>
  );
}

interface PlaceProps extends PartProps {
  constant: boolean;
  errors: FieldErrors<EntryForm> | undefined;
}

/** Where an entry stands among the others, and how far it listens. */
export function EntryPlace({ form, index, constant, errors }: PlaceProps) {
  const t = useMessages("form");
  const path = `entries.${index}` as const;
  return (
    <div className="entry-numbers">
      <TextField
        label={t("order")}
        type="number"
        step={1}
        placeholder="100"
        hint={t("orderHint")}
        error={errors?.order && t("wholeNumber", { min: -LIMITS.far, max: LIMITS.far })}
        {...form.register(`${path}.order`)}
      />
      <TextField
        label={t("depth")}
        type="number"
        min={0}
        step={1}
        placeholder="0"
        hint={t("depthHint")}
        error={errors?.depth && t("wholeNumber", { min: 0, max: LIMITS.far })}
        {...form.register(`${path}.depth`)}
      />
      <TextField
        label={t("priority")}
        type="number"
        step={1}
        placeholder={t("priorityEmpty")}
        hint={t("priorityHint")}
        error={errors?.priority && t("wholeNumber", { min: -LIMITS.far, max: LIMITS.far })}
        {...form.register(`${path}.priority`)}
      />
      <TextField
        label={t("listens")}
        type="number"
        min={0}
        max={LIMITS.scan}
        step={1}
        placeholder={t("scanEmpty")}
        hint={t("scanHint")}
        error={errors?.scanDepth && t("wholeNumber", { min: 0, max: LIMITS.scan })}
        {...form.register(`${path}.scanDepth`)}
      />
      {constant && (
        <SelectField
          label={t("stands")}
          options={[
            { value: "beforeCharacter", label: t("before") },
            { value: "afterCharacter", label: t("after") },
          ]}
          {...form.register(`${path}.position`)}
        />
      )}
    </div>
  );
}
