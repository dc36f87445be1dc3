import { zodResolver } from "@hookform/resolvers/zod";
import { Trash2 } from "lucide-react";
import { Controller, useForm } from "react-hook-form";
import { z } from "zod";
import type { Persona } from "@/shared/api/types";
import { optionLabel } from "@/shared/catalog/imageOptions";
import { Button, Checkbox, Dialog, SelectField, TextArea, TextField } from "@/shared/ui";
import { emptyPersona, type PersonaForm } from "../api";

const GENDERS = ["male", "female", "trans", "other"] as const;
/** Most these fields hold, characters. */
const MAX_NAME = 60;
const MAX_DESCRIPTION = 2000;

const schema = z.object({
  name: z.string().trim().min(1, "A persona needs a name.").max(MAX_NAME),
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
  const form = useForm<PersonaForm>({
    resolver: zodResolver(schema),
    defaultValues: persona ?? emptyPersona,
  });
  const { errors, isSubmitting } = form.formState;
  const save = form.handleSubmit(async (values) => {
    if (await onSave(values)) onClose();
  });
  return (
    <Dialog open onClose={onClose} title={persona ? "Update Persona" : "Create New Persona"}>
      <form className="persona-form" onSubmit={save} noValidate>
        <TextField
          label="Name"
          maxLength={MAX_NAME}
          required
          data-focus=""
          error={errors.name?.message}
          {...form.register("name")}
        />
        <TextArea
          label="Description"
          rows={4}
          maxLength={MAX_DESCRIPTION}
          hint="Who you are in the scene. Characters read it."
          error={errors.description?.message}
          {...form.register("description")}
        />
        <SelectField
          label="Gender"
          placeholder="Choose your Gender"
          options={GENDERS.map((value) => ({ value, label: optionLabel(value) }))}
          error={errors.gender?.message}
          {...form.register("gender")}
        />
        <Controller
          control={form.control}
          name="default"
          render={({ field }) => (
            <Checkbox checked={field.value} onChange={field.onChange}>
              Set as default
            </Checkbox>
          )}
        />
        {onDelete && (
          <Button look="quiet" size="small" className="persona-delete" onClick={onDelete}>
            <Trash2 className="icon s" />
            Delete persona
          </Button>
        )}
        <div className="row">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="lit" type="submit" busy={isSubmitting}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
