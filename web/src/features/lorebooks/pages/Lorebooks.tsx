import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { FileUp, Plus } from "lucide-react";
import { type ChangeEvent, useRef, useState } from "react";
import { messageOf } from "@/shared/api/errors";
import type { Lorebook } from "@/shared/api/types";
import { useTitle } from "@/shared/hooks/useTitle";
import { paths } from "@/shared/paths";
import { useLoggedIn } from "@/shared/store";
import { toast } from "@/shared/toast";
import { BackLink, Button, Empty, Failure } from "@/shared/ui";
import {
  deleteLorebook,
  draftOf,
  fetchLorebook,
  importLorebook,
  keepLorebook,
  lorebooksOptions,
  loreKeys,
} from "../api";
import { LorebookDialog } from "../components/LorebookDialog";
import { LorebookItem } from "../components/LorebookItem";
import { messages, useMessages } from "../i18n";
import "../lorebooks.css";

type Answer = { lorebooks: Lorebook[] };

/** Reads a file of lore and keeps what is in it. */
function useImport() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (file: File) => {
      const content: unknown = await file
        .text()
        .then(JSON.parse)
        .catch(() => null);
      if (typeof content !== "object" || content === null || Array.isArray(content)) {
        throw new TypeError("no JSON object");
      }
      // The book's own name comes first; a file without one lends its own.
      const named = "name" in content && typeof content.name === "string" && content.name.trim() !== "";
      return importLorebook(content, named ? "" : file.name.replace(/\.json$/i, "").slice(0, 100));
    },
    onSuccess: ({ lorebook, skipped }) => {
      void client.invalidateQueries({ queryKey: loreKeys.all });
      const t = messages("lore");
      toast.success(t("brought", { name: lorebook.name, count: lorebook.entryCount }));
      if (skipped.length > 0) toast.info(t("leftOut", { what: skipped.join(" ") }), { lifeMs: 10_000 });
    },
    onError: (error) =>
      toast.error(
        error instanceof TypeError
          ? messages("lore")("noLorebook")
          : messageOf(error, messages("lore")("importFailed")),
      ),
  });
}

/** Deletes a lorebook; undone, it is made again as it was. */
function useRemove() {
  const client = useQueryClient();
  const reread = () => client.invalidateQueries({ queryKey: loreKeys.all, exact: true });
  const again = useMutation({
    mutationFn: (book: Lorebook) => keepLorebook(null, draftOf(book)),
    onError: (error) => toast.error(messageOf(error, messages("lore")("backFailed"))),
    onSettled: reread,
  });
  return useMutation({
    mutationFn: async (id: string) => {
      const { lorebook } = await fetchLorebook(id);
      await deleteLorebook(id);
      return lorebook;
    },
    onSuccess: (lorebook) =>
      toast.undo(messages("lore")("deleted", { name: lorebook.name }), () => again.mutate(lorebook)),
    onMutate: async (id) => {
      await client.cancelQueries({ queryKey: loreKeys.all, exact: true });
      const before = client.getQueryData<Answer>(loreKeys.all);
      if (before) {
        const lorebooks = before.lorebooks.filter(({ _id }) => _id !== id);
        client.setQueryData<Answer>(loreKeys.all, { ...before, lorebooks });
      }
      return before;
    },
    onError: (error, _, before) => {
      if (before) client.setQueryData(loreKeys.all, before);
      toast.error(messageOf(error, messages("lore")("deleteFailed")));
    },
    onSettled: reread,
  });
}

function Shelf() {
  const t = useMessages("lore");
  const { data: books, isPending, refetch } = useQuery(lorebooksOptions);
  const [open, setOpen] = useState<{ id: string | null } | null>(null);
  const picker = useRef<HTMLInputElement>(null);
  const bring = useImport();
  const remove = useRemove();
  const picked = (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0];
    if (file) bring.mutate(file);
    // The same file can be chosen again.
    event.target.value = "";
  };
  return (
    <>
      <div className="lore-bar">
        <Button look="lit" onClick={() => setOpen({ id: null })}>
          <Plus className="icon s" />
          {t("new")}
        </Button>
        <Button busy={bring.isPending} onClick={() => picker.current?.click()}>
          <FileUp className="icon s" />
          {t("import")}
        </Button>
        <input ref={picker} hidden type="file" accept=".json,application/json" onChange={picked} />
      </div>
      {books ? (
        books.length === 0 ? (
          <Empty title={t("none")}>{t("noneText")}</Empty>
        ) : (
          <ul className="lorebooks">
            {books.map((book) => (
              <LorebookItem
                key={book._id}
                book={book}
                onOpen={() => setOpen({ id: book._id })}
                onDelete={() => remove.mutate(book._id)}
              />
            ))}
          </ul>
        )
      ) : isPending ? (
        <div className="lore-wait skeleton" role="status" aria-label={t("loading")}>
          <span className="bone w-92" />
          <span className="bone w-60" />
        </div>
      ) : (
        <Failure message={t("failed")} onRetry={() => void refetch()} />
      )}
      {open && <LorebookDialog id={open.id} onClose={() => setOpen(null)} />}
    </>
  );
}

export default function Lorebooks() {
  const t = useMessages("lore");
  useTitle(t("title"));
  if (!useLoggedIn()) return null;
  return (
    <>
      <header className="page-head">
        <BackLink to={paths.personas}>{t("back")}</BackLink>
        <h1>{t("title")}</h1>
        <p>{t("lead")}</p>
      </header>
      <Shelf />
    </>
  );
}
