import { ArrowUp, Plus, Trash2 } from "lucide-react";
import { type UseFormReturn, useFieldArray } from "react-hook-form";
import { toast } from "@/shared/toast";
import { Button, IconButton } from "@/shared/ui";
import { useMessages } from "../i18n";
import { type CharacterForm, MAX_CHARS, MAX_GREETINGS } from "../schema";
import { Counted } from "./Counted";

/** Further ways a chat may begin; readers swipe through them on the first message. */
export function Greetings({ form }: { form: UseFormReturn<CharacterForm> }) {
  const t = useMessages("scene");
  const { fields, append, insert, remove, move } = useFieldArray({
    control: form.control,
    name: "greetings",
  });
  const { errors } = form.formState;

  const takeAway = (index: number) => {
    const greeting = form.getValues(`greetings.${index}`);
    remove(index);
    if (greeting.text.trim() === "") return;
    toast.undo(t("removed"), () => insert(Math.min(index, form.getValues("greetings").length), greeting));
  };
  return (
    <div className="greetings">
      {fields.map((field, index) => (
        <div className="greeting" key={field.id}>
          <Counted
            form={form}
            name={`greetings.${index}.text`}
            label={t("greeting", { number: index + 1 })}
            rows={4}
            maxLength={MAX_CHARS.firstMessage}
            error={errors.greetings?.[index]?.text?.message}
          />
          <div className="greeting-tools">
            {index > 0 && (
              <IconButton
                small
                label={t("moveUp", { number: index + 1 })}
                onClick={() => move(index, index - 1)}
              >
                <ArrowUp className="icon s" />
              </IconButton>
            )}
            <IconButton small label={t("remove", { number: index + 1 })} onClick={() => takeAway(index)}>
              <Trash2 className="icon s" />
            </IconButton>
          </div>
        </div>
      ))}
      {fields.length < MAX_GREETINGS && (
        <div className="add-row">
          <Button size="small" onClick={() => append({ text: "" })}>
            <Plus className="icon s" />
            {t("add")}
          </Button>
          {fields.length === 0 && <p className="hint">{t("addHint")}</p>}
        </div>
      )}
    </div>
  );
}
