import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { FileUp } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import { useNavigate } from "react-router";
import { ApiError, messageOf } from "@/shared/api/errors";
import { paths } from "@/shared/paths";
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

interface Who {
  _id: string;
  name: string;
  imageUrl: string | null;
}

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
  const [file, setFile] = useState<File | null>(null);
  const [words, setWords] = useState("");
  const [who, setWho] = useState<Who | null>(null);
  const people = useWho(useSettled(words.trim(), TYPING_MS));
  const shown = who && !people.some((p) => p._id === who._id) ? [who, ...people] : people;
  const tooLarge = file !== null && file.size > MAX_FILE_BYTES;

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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (file && who && !tooLarge) bring.mutate({ characterId: who._id, chosen: file });
  };
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
            aria-invalid={tooLarge || undefined}
            onChange={(event) => {
              setFile(event.target.files?.[0] ?? null);
              bring.reset();
            }}
          />
          {tooLarge && (
            <p className="error" role="alert">
              {t("tooLarge")}
            </p>
          )}
        </div>
        <TextField
          label={t("withWhom")}
          placeholder={t("name")}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        {shown.length > 0 && (
          <fieldset className="who">
            <legend className="sr">{t("character")}</legend>
            {shown.map((character) => (
              <label key={character._id}>
                <input
                  type="radio"
                  name={`${id}-who`}
                  checked={who?._id === character._id}
                  onChange={() => setWho(character)}
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
          <Button look="lit" type="submit" busy={bring.isPending} disabled={!file || !who || tooLarge}>
            {t("import")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
