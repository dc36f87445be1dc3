import { Plus } from "lucide-react";
import { type UseFormReturn, useFieldArray } from "react-hook-form";
import { toast } from "@/shared/toast";
import { Button, TextField } from "@/shared/ui";
import { useMessages } from "../i18n";
import { emptyEntry, MAX_ENTRIES } from "../lorebook";
import type { CharacterForm } from "../schema";
import { LoreEntry } from "./LoreEntry";

/** What the character knows of its world, told only when the words come up. */
export function Lorebook({ form }: { form: UseFormReturn<CharacterForm> }) {
  const t = useMessages("lore");
  const { fields, append, insert, remove } = useFieldArray({ control: form.control, name: "book.entries" });
  const { errors } = form.formState;

  const takeAway = (index: number) => {
    const entry = form.getValues(`book.entries.${index}`);
    remove(index);
    if (entry.content.trim() === "" && entry.keys.trim() === "") return;
    toast.undo(t("removed"), () =>
      insert(Math.min(index, form.getValues("book.entries").length), entry, { shouldFocus: false }),
    );
  };
  return (
    <section className="form-part" aria-labelledby="part-lore">
      <h2 id="part-lore">{t("title")}</h2>
      <p className="text-2 form-lead">{t("lead")}</p>
      {fields.length > 0 && (
        <>
          <TextField
            label={t("bookName")}
            error={errors.book?.name?.message}
            {...form.register("book.name")}
          />
          <ul className="lore">
            {fields.map((field, index) => (
              <LoreEntry key={field.id} form={form} index={index} onRemove={() => takeAway(index)} />
            ))}
          </ul>
        </>
      )}
      {fields.length < MAX_ENTRIES && (
        <div className="add-row">
          <Button size="small" onClick={() => append(emptyEntry, { shouldFocus: false })}>
            <Plus className="icon s" />
            {t("add")}
          </Button>
        </div>
      )}
    </section>
  );
}
