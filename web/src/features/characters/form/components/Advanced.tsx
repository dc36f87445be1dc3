import { ChevronDown } from "lucide-react";
import { useState } from "react";
import type { UseFormReturn } from "react-hook-form";
import { TextArea, TextField } from "@/shared/ui";
import { useMessages } from "../i18n";
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
  const t = useMessages("advanced");
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
        <h2>{t("title")}</h2>
        <ChevronDown className="icon" />
      </summary>
      <div className="fold-in">
        <TextArea
          label={t("notes")}
          rows={3}
          maxLength={MAX_CHARS.creatorNotes}
          hint={t("notesHint")}
          error={errors.creatorNotes?.message}
          {...form.register("creatorNotes")}
        />
        <Counted
          form={form}
          name="systemPrompt"
          label={t("system")}
          rows={4}
          maxLength={MAX_CHARS.systemPrompt}
          hint={t("systemHint", { original: "{{original}}" })}
          error={errors.systemPrompt?.message}
        />
        <Counted
          form={form}
          name="postHistoryInstructions"
          label={t("last")}
          rows={3}
          maxLength={MAX_CHARS.postHistoryInstructions}
          hint={t("lastHint")}
          error={errors.postHistoryInstructions?.message}
        />
        <div className="lore-pair">
          <TextField
            label={t("nickname")}
            maxLength={MAX_CHARS.nickname}
            hint={t("nicknameHint", { char: "{{char}}" })}
            error={errors.nickname?.message}
            {...form.register("nickname")}
          />
          <TextField
            label={t("version")}
            maxLength={MAX_CHARS.characterVersion}
            error={errors.characterVersion?.message}
            {...form.register("characterVersion")}
          />
        </div>
      </div>
    </details>
  );
}
