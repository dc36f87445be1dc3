import { zodResolver } from "@hookform/resolvers/zod";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { FileUp } from "lucide-react";
import { useId } from "react";
import { useForm, useWatch } from "react-hook-form";
import { z } from "zod";
import { ApiError, messageOf } from "@/shared/api/errors";
import { paths } from "@/shared/paths";
import { useNavigate } from "@/shared/router";
import { toast } from "@/shared/toast";
import { Button, Dialog, TextField } from "@/shared/ui";
import { chatKeys, chatsOptions, findCharactersOptions, importChat } from "../api";
import { useMessages } from "../i18n";
import { useSettled } from "../useSettled";
import { Tile } from "./Turn";

const MAX_FILE_BYTES = 10 * 1024 * 1024;
/** Characters to choose from at once. */
const SHOWN = 5;
const TYPING_MS = 300;

const whoSchema = z.object({ _id: z.string(), name: z.string(), imageUrl: z.string().nullable() });
type Who = z.infer<typeof whoSchema>;

/** What is asked for before it is given may be absent; what is sent may not. */
const given = <T extends z.ZodType>(schema: T) =>
  schema.nullable().transform((value, context) => {
    if (value !== null) return value;
    context.addIssue({ code: "custom" });
    return z.NEVER;
  });
const schema = z.object({
  file: given(z.instanceof(File).refine(({ size }) => size <= MAX_FILE_BYTES)),
  who: given(whoSchema),
  words: z.string(),
});

/** Whom the chat is with: those one talks to already, or anyone by name. */
function useWho(words: string): Who[] {
  const { data: chats = [] } = useInfiniteQuery(chatsOptions);
  const { data: found = [] } = useQuery(findCharactersOptions(words));
  if (words !== "") return found.slice(0, SHOWN);
  return [...new Map(chats.map(({ character }) => [character._id, character])).values()].slice(0, SHOWN);
}

/** The lines of a file that were refused, as the server names them. */
function wrongLines(error: unknown): string[] {
  return error instanceof ApiError ? Object.entries(error.fields).map(([at, why]) => `${at}: ${why}`) : [];
}

export function ImportDialog({ onClose }: { onClose: () => void }) {
  const t = useMessages("file");
  const client = useQueryClient();
  const navigate = useNavigate();
  const id = useId();
  const form = useForm({
    resolver: zodResolver(schema),
    mode: "onChange",
    defaultValues: { file: null, words: "", who: null },
  });
  const { errors, isValid } = form.formState;
  const [file, words, who] = useWatch({ control: form.control, name: ["file", "words", "who"] });
  const people = useWho(useSettled(words.trim(), TYPING_MS));
  const shown = who && !people.some((p) => p._id === who._id) ? [who, ...people] : people;

  const bring = useMutation({
    mutationFn: ({ characterId, chosen }: { characterId: string; chosen: File }) =>
      importChat(characterId, chosen),
    onSuccess: ({ chatId, messages, leftOut }, { characterId }) => {
      void client.invalidateQueries({ queryKey: chatKeys.all });
      toast.success(
        leftOut > 0
          ? t("importedSome", { count: messages, left: leftOut })
          : t("imported", { count: messages }),
      );
      void navigate(paths.chat(characterId, { chat: chatId }));
    },
  });
  const submit = form.handleSubmit((chosen) =>
    bring.mutate({ characterId: chosen.who._id, chosen: chosen.file }),
  );
  const wrong = wrongLines(bring.error);

  return (
    <Dialog open onClose={onClose} title={t("importTitle")}>
      <form className="import" onSubmit={submit}>
        <p className="text-2">{t("importLead")}</p>
        <div className="field">
          <label className="file-pick" htmlFor={id}>
            <FileUp className="icon" />
            <span>{file ? file.name : t("choose")}</span>
          </label>
          <input
            className="sr"
            id={id}
            type="file"
            accept=".jsonl,application/x-ndjson,application/json"
            aria-invalid={errors.file ? true : undefined}
            onChange={(event) => {
              form.setValue("file", event.target.files?.[0] ?? null, { shouldValidate: true });
              bring.reset();
            }}
          />
          {file && errors.file && (
            <p className="error" role="alert">
              {t("tooLarge")}
            </p>
          )}
        </div>
        <TextField label={t("withWhom")} placeholder={t("name")} {...form.register("words")} />
        {shown.length > 0 && (
          <fieldset className="import-who">
            <legend className="sr">{t("character")}</legend>
            {shown.map((character) => (
              <label key={character._id}>
                <input
                  type="radio"
                  name={`${id}-who`}
                  checked={who?._id === character._id}
                  onChange={() => form.setValue("who", character, { shouldValidate: true })}
                />
                <Tile src={character.imageUrl} />
                <span>{character.name}</span>
              </label>
            ))}
          </fieldset>
        )}
        {bring.isError && (
          <div className="error import-error" role="alert">
            <p>{messageOf(bring.error, t("importFailed"))}</p>
            {wrong.slice(0, SHOWN).map((line) => (
              <p key={line}>{line}</p>
            ))}
          </div>
        )}
        <div className="row">
          <Button onClick={onClose}>{t("cancel")}</Button>
          <Button look="lit" type="submit" busy={bring.isPending} disabled={!isValid}>
            {t("import")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
