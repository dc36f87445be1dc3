import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import type { ChatMemory } from "@/shared/api/types";
import { toast } from "@/shared/toast";
import { Button, Checkbox, Dialog, Failure, TextArea } from "@/shared/ui";
import { memoriesOptions } from "../api";
import { useMessages } from "../i18n";
import { useMemories } from "../useMemories";
import { MemoryItem } from "./MemoryItem";

/** Most a memory holds, characters. */
export const MAX_MEMORY_CHARS = 1000;

interface GoneProps {
  /** What was deleted last. */
  memory: ChatMemory;
  onBack: () => void;
}

/** Says what was deleted, with the way back. A summary stands for messages: only its words can be kept. */
function Gone({ memory, onBack }: GoneProps) {
  const t = useMessages("memory");
  const summary = memory.kind === "summary";
  return (
    <p className="note memory-gone">
      {summary ? t("summaryDeleted") : `${t("deleted")}.`}
      <Button key={memory._id} size="small" look="quiet" autoFocus onClick={onBack}>
        {t(summary ? "asFact" : "undo")}
      </Button>
    </p>
  );
}

interface MemoryDialogProps {
  chatId: string;
  character: string;
  /** Leads to a message; closes the dialog. */
  onJump: (messageId: string) => void;
  onClose: () => void;
}

/** What the character remembers in this chat. */
export function MemoryDialog({ chatId, character, onJump, onClose }: MemoryDialogProps) {
  const t = useMessages("memory");
  const waiting = useMessages("talk")("waiting");
  const title = useMessages("scene")("remembers", { name: character });
  const { data: memories, isPending, refetch } = useQuery(memoriesOptions(chatId));
  const { add, again, change, forget } = useMemories(chatId);
  /** What was deleted last. A message over the page cannot be reached while the dialog is open, so it is said here. */
  const [gone, setGone] = useState<ChatMemory | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState("");
  const [everywhere, setEverywhere] = useState(false);
  const fact = text.trim();

  /** What can still be undone goes along: as a message over the page. */
  const leave = () => {
    if (gone) {
      const label = t(gone.kind === "summary" ? "asFact" : "undo");
      const text = t(gone.kind === "summary" ? "summaryDeleted" : "deleted");
      toast.success(text, { action: { label, run: () => again.mutate(gone) } });
    }
    onClose();
  };

  const keep = async (event: FormEvent) => {
    event.preventDefault();
    if (fact === "" || add.isPending) return;
    const scope = everywhere ? "character" : "chat";
    await add.mutateAsync({ text: fact, scope }).then(
      () => setText(""),
      () => undefined,
    );
  };

  return (
    <Dialog open onClose={leave} title={title} closable className="room memory-dialog">
      <form className="memory-new" onSubmit={keep}>
        <TextArea
          ref={field}
          label={t("something")}
          data-focus
          placeholder={t("example")}
          rows={2}
          maxLength={MAX_MEMORY_CHARS}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <div className="memory-row">
          <Checkbox checked={everywhere} onChange={setEverywhere}>
            {t("everywhere", { name: character })}
          </Checkbox>
          <Button look="lit" size="small" type="submit" busy={add.isPending} disabled={fact === ""}>
            {t("remember")}
          </Button>
        </div>
      </form>
      <div role="status">
        {gone && (
          <Gone
            memory={gone}
            onBack={() => {
              again.mutate(gone);
              setGone(null);
              field.current?.focus();
            }}
          />
        )}
      </div>
      {memories ? (
        memories.length === 0 ? (
          <p className="text-2">{t("none")}</p>
        ) : (
          <ul className="memories">
            {memories.map((memory) => (
              <MemoryItem
                key={memory._id}
                memory={memory}
                onChange={(to) => change.mutate({ id: memory._id, ...to })}
                onForget={() => {
                  forget.mutate(memory, { onError: () => setGone(null) });
                  setGone(memory);
                }}
                onJump={onJump}
              />
            ))}
          </ul>
        )
      ) : isPending ? (
        <div className="sees-wait skeleton" role="status" aria-label={waiting}>
          <span className="bone w-92" />
          <span className="bone w-60" />
        </div>
      ) : (
        <Failure message={t("failed")} onRetry={() => void refetch()} />
      )}
    </Dialog>
  );
}
