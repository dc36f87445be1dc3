import { ChevronDown } from "lucide-react";
import { useState } from "react";
import type { UseFormReturn } from "react-hook-form";
import { TextArea, TextField } from "@/shared/ui";
import { type CharacterForm, MAX_CHARS } from "../schema";
import { Counted } from "./Counted";

const FIELDS = [
  "creatorNotes",
  "systemPrompt",
  "postHistoryInstructions",
  "nickname",
  "characterVersion",
] as const;

/** What most cards leave empty. */
export function Advanced({ form }: { form: UseFormReturn<CharacterForm> }) {
  const { errors } = form.formState;
  const [open, setOpen] = useState(() => FIELDS.some((field) => form.getValues(field) !== ""));
  const wrong = FIELDS.some((field) => errors[field]);
  return (
    <details
      className="form-part fold"
      open={open || wrong}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <h2>Advanced</h2>
        <ChevronDown className="icon" />
      </summary>
      <div className="fold-in">
        <TextArea
          label="Creator notes"
          rows={3}
          maxLength={MAX_CHARS.creatorNotes}
          hint="For whoever plays with the card. The character does not read them."
          error={errors.creatorNotes?.message}
          {...form.register("creatorNotes")}
        />
        <Counted
          form={form}
          name="systemPrompt"
          label="System prompt"
          rows={4}
          maxLength={MAX_CHARS.systemPrompt}
          hint="In place of the house's own words to the model. {{original}} puts those in."
          error={errors.systemPrompt?.message}
        />
        <Counted
          form={form}
          name="postHistoryInstructions"
          label="Post-history instructions"
          rows={3}
          maxLength={MAX_CHARS.postHistoryInstructions}
          hint="Said last, after all that was spoken."
          error={errors.postHistoryInstructions?.message}
        />
        <div className="lore-pair">
          <TextField
            label="Nickname"
            maxLength={MAX_CHARS.nickname}
            hint="What {{char}} becomes, if not the name."
            error={errors.nickname?.message}
            {...form.register("nickname")}
          />
          <TextField
            label="Version of the card"
            maxLength={MAX_CHARS.characterVersion}
            error={errors.characterVersion?.message}
            {...form.register("characterVersion")}
          />
        </div>
      </div>
    </details>
  );
}
