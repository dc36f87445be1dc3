import { zodResolver } from "@hookform/resolvers/zod";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useEffect, useState } from "react";
import { Controller, type UseFormReturn, useFieldArray, useForm } from "react-hook-form";
import { messageOf } from "@/shared/api/errors";
import { toast } from "@/shared/toast";
import { Button, Dialog, Failure, Switch, TextField } from "@/shared/ui";
import { type Draft, draftOf, emptyDraft, keepLorebook, lorebookOptions, loreKeys } from "../api";
import { filled, formOf, LIMITS, type LorebookForm, lorebookSchema, newEntry } from "../form";
import { useMessages } from "../i18n";
import { EntryEditor } from "./EntryEditor";
import { ForWhom } from "./ForWhom";

/** Fields of an entry that can be wrong, as they stand. */
const FIELDS = ["keys", "content", "order", "depth", "priority", "scanDepth"] as const;

interface EntriesProps {
  form: UseFormReturn<LorebookForm>;
}

/** The entries, of which one is open at a time; one that is wrong opens when somebody tries to save. */
function Entries({ form }: EntriesProps) {
  const t = useMessages("form");
  const { fields, append, remove } = useFieldArray({ control: form.control, name: "entries" });
  const [open, setOpen] = useState<number | null>(null);
  const { errors, submitCount } = form.formState;
  const wrong = errors.entries?.findIndex?.((entry) => entry !== undefined) ?? -1;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt leads to what is wrong anew.
  useEffect(() => {
    if (wrong < 0) return;
    setOpen(wrong);
    const field = FIELDS.find((name) => errors.entries?.[wrong]?.[name]);
    if (!field || errors.name) return;
    // Once it is open.
    const frame = requestAnimationFrame(() => form.setFocus(`entries.${wrong}.${field}`));
    return () => cancelAnimationFrame(frame);
  }, [submitCount]);
  return (
    <section aria-label={t("entries")} className="entries">
      {fields.map((field, index) => (
        <EntryEditor
          key={field.id}
          form={form}
          index={index}
          open={open === index}
          onToggle={(opened) => setOpen((now) => (opened ? index : now === index ? null : now))}
          onRemove={() => {
            remove(index);
            setOpen(null);
          }}
        />
      ))}
      <Button
        onClick={() => {
          append(newEntry, { shouldFocus: false });
          setOpen(fields.length);
        }}
      >
        <Plus className="icon s" />
        {t("add")}
      </Button>
    </section>
  );
}

/** What holds for the whole book. */
function BookFields({ form, focused }: EntriesProps & { focused: boolean }) {
  const t = useMessages("form");
  const { errors } = form.formState;
  return (
    <>
      <TextField
        label={t("name")}
        maxLength={LIMITS.name}
        data-focus={focused || undefined}
        required
        error={errors.name && t("needsName")}
        {...form.register("name")}
      />
      <div className="lore-switches">
        {(["enabled", "recursive"] as const).map((name) => (
          <Controller
            key={name}
            control={form.control}
            name={name}
            render={({ field }) => (
              <Switch checked={field.value} onChange={field.onChange}>
                {t(name === "enabled" ? "inUse" : "recursive")}
              </Switch>
            )}
          />
        ))}
      </div>
      <Controller
        control={form.control}
        name="characterIds"
        render={({ field }) => <ForWhom chosen={field.value} onChange={field.onChange} />}
      />
      <div className="lore-numbers">
        <TextField
          label={t("listens")}
          type="number"
          min={0}
          max={LIMITS.scan}
          step={1}
          placeholder="4"
          hint={t("listensHint")}
          error={errors.scanDepth && t("wholeNumber", { min: 0, max: LIMITS.scan })}
          {...form.register("scanDepth")}
        />
        <TextField
          label={t("budget")}
          type="number"
          min={0}
          max={LIMITS.budget}
          step={1}
          placeholder={t("budgetEmpty")}
          hint={t("budgetHint")}
          error={errors.tokenBudget && t("wholeNumber", { min: 0, max: LIMITS.budget })}
          {...form.register("tokenBudget")}
        />
      </div>
    </>
  );
}

interface FormProps {
  id: string | null;
  initial: Draft;
  onClose: () => void;
}

function Form({ id, initial, onClose }: FormProps) {
  const t = useMessages("lore");
  const client = useQueryClient();
  const form = useForm({ resolver: zodResolver(lorebookSchema), defaultValues: formOf(initial) });
  const save = useMutation({
    mutationFn: (values: LorebookForm) => keepLorebook(id, filled(values)),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: loreKeys.all });
      toast.success(t(id === null ? "made" : "saved"));
      onClose();
    },
    onError: (error) => toast.error(messageOf(error, t("saveFailed"))),
  });
  return (
    <form className="lore-form" onSubmit={form.handleSubmit((values) => save.mutate(values))} noValidate>
      <BookFields form={form} focused={id === null} />
      <Entries form={form} />
      <div className="row">
        <Button onClick={onClose}>{t("cancel")}</Button>
        <Button look="lit" type="submit" busy={save.isPending}>
          {t("save")}
        </Button>
      </div>
    </form>
  );
}

/** A lorebook, to be written; `id` null: a new one. */
export function LorebookDialog({ id, onClose }: { id: string | null; onClose: () => void }) {
  const t = useMessages("lore");
  const { data, isError, refetch } = useQuery({
    ...lorebookOptions(id ?? ""),
    enabled: id !== null,
    // What is being written must not change under the hand, nor begin from an old copy.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const initial = id === null ? emptyDraft : data && draftOf(data);
  return (
    <Dialog open onClose={onClose} title={t(id === null ? "new" : "editTitle")} closable className="room">
      {initial ? (
        <Form id={id} initial={initial} onClose={onClose} />
      ) : isError ? (
        <Failure message={t("readFailed")} onRetry={() => void refetch()} />
      ) : (
        <div className="lore-wait skeleton" role="status" aria-label={t("waiting")}>
          <span className="bone w-92" />
          <span className="bone w-60" />
        </div>
      )}
    </Dialog>
  );
}
