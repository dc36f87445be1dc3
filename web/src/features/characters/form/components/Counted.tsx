import { type FieldPath, type UseFormReturn, useWatch } from "react-hook-form";
import { TextArea, TextField } from "@/shared/ui";
import { useMessages } from "../i18n";
import type { CharacterForm } from "../schema";
import { tokensOf } from "../tokens";

interface CountedProps {
  form: UseFormReturn<CharacterForm>;
  name: FieldPath<CharacterForm>;
  label: string;
  /** One line without. */
  rows?: number;
  maxLength?: number;
  placeholder?: string;
  hint?: string;
  error?: string;
}

/** About how long a field is for the model. Watches it alone, so that a key redraws no more than this. */
function TokenCount({ form, name }: Pick<CountedProps, "form" | "name">) {
  const t = useMessages("preview");
  const text = useWatch({ control: form.control, name });
  const tokens = typeof text === "string" ? tokensOf(text) : 0;
  return tokens > 0 ? <span className="num">{t("tokens", { count: tokens })}</span> : null;
}

/** A text that the model reads, with its length in tokens. */
export function Counted({ form, name, rows, ...field }: CountedProps) {
  const all = { ...field, aside: <TokenCount form={form} name={name} />, ...form.register(name) };
  return rows ? <TextArea rows={rows} {...all} /> : <TextField {...all} />;
}
