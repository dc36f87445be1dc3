import { zodResolver } from "@hookform/resolvers/zod";
import { Trash2 } from "lucide-react";
import { Controller, useForm } from "react-hook-form";
import { z } from "zod";
import type { Persona } from "@/shared/api/types";
import { Button, Checkbox, Dialog, SelectField, TextArea, TextField } from "@/shared/ui";
import { emptyPersona, type PersonaForm } from "../api";
import { useMessages } from "../i18n";

const GENDERS = ["male", "female", "trans", "other"] as const;
/** Most these fields hold, characters. */
const MAX_NAME = 60;
const MAX_DESCRIPTION = 2000;

/** The form, whose problem is said in the reader's language. */
const personaSchema = (noName: string) =>
  z.object({
    name: z.string().trim().min(1, noName).max(MAX_NAME),
    description: z.string().max(MAX_DESCRIPTION),
    gender: z.enum(["", ...GENDERS]),
    default: z.boolean(),
  });

interface PersonaDialogProps {
  /** The persona to change; null: a new one. */
  persona: Persona | null;
  onClose: () => void;
  /** Resolves to false when it was not saved and the dialog stays. */
  onSave: (form: PersonaForm) => Promise<boolean>;
  /** Absent for a new one. */
  onDelete?: () => void;
}

export function PersonaDialog({ persona, onClose, onSave, onDelete }: PersonaDialogProps) {
  const t = useMessages("form");
  const form = useForm<PersonaForm>({
    resolver: zodResolver(personaSchema(t("noName"))),
    defaultValues: persona ?? emptyPersona,
  });
  const { errors, isSubmitting } = form.formState;
  const save = form.handleSubmit(async (values) => {
    if (await onSave(values)) onClose();
  });
  return (
    <Dialog open onClose={onClose} title={t(persona ? "edit" : "new")}>
      <form className="persona-form" onSubmit={save} noValidate>
        <TextField
          label={t("name")}
          maxLength={MAX_NAME}
          required
          data-focus=""
          error={errors.name?.message}
          {...form.register("name")}
        />
        <TextArea
          label={t("description")}
          rows={4}
          maxLength={MAX_DESCRIPTION}
          hint={t("descriptionHint")}
          error={errors.description?.message}
          {...form.register("description")}
        />
        <SelectField
          label={t("gender")}
          placeholder={t("chooseGender")}
          options={GENDERS.map((value) => ({ value, label: t(value) }))}
          error={errors.gender?.message}
          {...form.register("gender")}
        />
        <Controller
          control={form.control}
          name="default"
          render={({ field }) => (
            <Checkbox checked={field.value} onChange={field.onChange}>
              {t("asDefault")}
            </Checkbox>
          )}
        />
        {onDelete && (
          <Button look="quiet" size="small" className="persona-delete" onClick={onDelete}>
            <Trash2 className="icon s" />
            {t("delete")}
          </Button>
        )}
        <div className="row">
          <Button onClick={onClose}>{t("cancel")}</Button>
          <Button look="lit" type="submit" busy={isSubmitting}>
            {t("save")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
