import { zodResolver } from "@hookform/resolvers/zod";
import type { Ref } from "react";
import { Controller, useForm } from "react-hook-form";
import { z } from "zod";
import type { ChatMemory } from "@/shared/api/types";
import { Button, Checkbox, TextArea } from "@/shared/ui";
import { useMessages } from "../i18n";
import { MAX_MEMORY_CHARS } from "../useMemories";

const schema = z.object({
  text: z.string().trim().min(1).max(MAX_MEMORY_CHARS),
  everywhere: z.boolean(),
});

interface NewMemoryProps {
  character: string;
  /** Rejects where it could not be written down: the words stay in the field. */
  onKeep: (memory: { text: string; scope: ChatMemory["scope"] }) => Promise<unknown>;
  ref: Ref<HTMLTextAreaElement>;
}

/** A fact to write down for the character to remember. */
export function NewMemory({ character, onKeep, ref }: NewMemoryProps) {
  const t = useMessages("memory");
  const form = useForm({
    resolver: zodResolver(schema),
    mode: "onChange",
    defaultValues: { text: "", everywhere: false },
  });
  const { isSubmitting, isValid } = form.formState;
  const keep = form.handleSubmit(({ text, everywhere }) =>
    onKeep({ text, scope: everywhere ? "character" : "chat" }).then(
      () => form.resetField("text"),
      () => undefined,
    ),
  );
  return (
    <form className="memory-new" onSubmit={keep}>
      <Controller
        control={form.control}
        name="text"
        render={({ field }) => (
          <TextArea
            {...field}
            ref={ref}
            label={t("something")}
            data-focus
            placeholder={t("example")}
            rows={2}
            maxLength={MAX_MEMORY_CHARS}
          />
        )}
      />
      <div className="memory-row">
        <Controller
          control={form.control}
          name="everywhere"
          render={({ field }) => (
            <Checkbox checked={field.value} onChange={field.onChange}>
              {t("everywhere", { name: character })}
            </Checkbox>
          )}
        />
        <Button look="lit" size="small" type="submit" busy={isSubmitting} disabled={!isValid}>
          {t("remember")}
        </Button>
      </div>
    </form>
  );
}
