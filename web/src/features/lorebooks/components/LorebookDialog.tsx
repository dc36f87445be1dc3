import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { messageOf } from "@/shared/api/errors";
import type { LoreEntry } from "@/shared/api/types";
import { toast } from "@/shared/toast";
import { Button, Dialog, Failure, Switch, TextField } from "@/shared/ui";
import {
  type Draft,
  draftOf,
  emptyDraft,
  emptyEntry,
  faultOf,
  keepLorebook,
  lorebookOptions,
  loreKeys,
  numberOf,
} from "../api";
import { EntryEditor } from "./EntryEditor";
import { ForWhom } from "./ForWhom";

const MAX_NAME = 100;
const MAX_SCAN = 100;
const MAX_BUDGET = 100_000;

/** An entry in the form, with a name of its own for as long as the form is open. */
interface Row {
  key: number;
  entry: LoreEntry;
}

interface FormProps {
  id: string | null;
  initial: Draft;
  onClose: () => void;
}

function LorebookForm({ id, initial, onClose }: FormProps) {
  const client = useQueryClient();
  const nextKey = useRef(initial.book.entries.length);
  const [draft, setDraft] = useState(initial);
  const [rows, setRows] = useState<Row[]>(() => initial.book.entries.map((entry, key) => ({ key, entry })));
  const [open, setOpen] = useState<number | null>(null);
  const [tried, setTried] = useState(false);
  const name = draft.name.trim();

  const save = useMutation({
    mutationFn: () =>
      keepLorebook(id, { ...draft, name, book: { ...draft.book, entries: rows.map(({ entry }) => entry) } }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: loreKeys.all });
      toast.success(id === null ? "Lorebook made" : "Lorebook saved");
      onClose();
    },
    onError: (error) => toast.error(messageOf(error, "The lorebook could not be saved.")),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    const wrong = rows.find(({ entry }) => faultOf(entry));
    if (wrong) setOpen(wrong.key);
    else if (name !== "") save.mutate();
  };
  const add = () => {
    const key = nextKey.current++;
    setRows([...rows, { key, entry: emptyEntry }]);
    setOpen(key);
  };

  return (
    <form className="lore-form" onSubmit={submit} noValidate>
      <TextField
        label="Name"
        maxLength={MAX_NAME}
        data-focus={id === null || undefined}
        required
        error={tried && name === "" ? "A lorebook needs a name." : undefined}
        value={draft.name}
        onChange={(event) => setDraft({ ...draft, name: event.target.value })}
      />
      <div className="lore-switches">
        <Switch checked={draft.enabled} onChange={(enabled) => setDraft({ ...draft, enabled })}>
          In use
        </Switch>
        <Switch
          checked={draft.book.recursive}
          onChange={(recursive) => setDraft({ ...draft, book: { ...draft.book, recursive } })}
        >
          Entries can call entries
        </Switch>
      </div>
      <ForWhom
        chosen={draft.characterIds}
        onChange={(characterIds) => setDraft({ ...draft, characterIds })}
      />
      <div className="lore-numbers">
        <TextField
          label="Listens to"
          type="number"
          min={0}
          max={MAX_SCAN}
          step={1}
          placeholder="4"
          hint="Newest messages that are searched for keys."
          value={draft.book.scanDepth ?? ""}
          onChange={(event) =>
            setDraft({
              ...draft,
              book: { ...draft.book, scanDepth: numberOf(event.target.value, 0, MAX_SCAN) },
            })
          }
        />
        <TextField
          label="Token budget"
          type="number"
          min={0}
          max={MAX_BUDGET}
          step={1}
          placeholder="A quarter"
          hint="Of a prompt, for all its entries together."
          value={draft.book.tokenBudget ?? ""}
          onChange={(event) =>
            setDraft({
              ...draft,
              book: { ...draft.book, tokenBudget: numberOf(event.target.value, 0, MAX_BUDGET) },
            })
          }
        />
      </div>
      <section aria-label="Entries" className="entries">
        {rows.map(({ key, entry }, at) => (
          <EntryEditor
            key={key}
            entry={entry}
            place={at + 1}
            open={open === key}
            onToggle={(opened) => setOpen((now) => (opened ? key : now === key ? null : now))}
            tried={tried}
            onChange={(change) =>
              setRows((all) =>
                all.map((row) => (row.key === key ? { key, entry: { ...row.entry, ...change } } : row)),
              )
            }
            onRemove={() => setRows((all) => all.filter((row) => row.key !== key))}
          />
        ))}
        <Button onClick={add}>
          <Plus className="icon s" />
          Add an entry
        </Button>
      </section>
      <div className="row">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="lit" type="submit" busy={save.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}

/** A lorebook, to be written; `id` null: a new one. */
export function LorebookDialog({ id, onClose }: { id: string | null; onClose: () => void }) {
  const { data, isError, refetch } = useQuery({
    ...lorebookOptions(id ?? ""),
    enabled: id !== null,
    // What is being written must not change under the hand, nor begin from an old copy.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const initial = id === null ? emptyDraft : data && draftOf(data);
  return (
    <Dialog
      open
      onClose={onClose}
      title={id === null ? "New lorebook" : "Edit lorebook"}
      closable
      className="room"
    >
      {initial ? (
        <LorebookForm id={id} initial={initial} onClose={onClose} />
      ) : isError ? (
        <Failure message="The lorebook could not be read. Please try again." onRetry={() => void refetch()} />
      ) : (
        <div className="lore-wait skeleton" role="status" aria-label="Loading">
          <span className="bone w-92" />
          <span className="bone w-60" />
        </div>
      )}
    </Dialog>
  );
}
