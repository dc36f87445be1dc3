import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { ChatMemory } from "@/shared/api/types";
import { toast } from "@/shared/toast";
import { Button, Dialog, Failure } from "@/shared/ui";
import { memoriesOptions } from "../api";
import { useMessages } from "../i18n";
import { useMemories } from "../useMemories";
import { MemoryItem } from "./MemoryItem";
import { NewMemory } from "./NewMemory";

const deletedWords = ({ kind }: ChatMemory) => (kind === "summary" ? "summaryDeleted" : "deleted");

interface GoneProps {
  /** What was deleted last. */
  memory: ChatMemory;
  onBack: () => void;
}

/** Says what was deleted, with the way back. */
function Gone({ memory, onBack }: GoneProps) {
  const t = useMessages("memory");
  return (
    <p className="note memory-gone">
      {`${t(deletedWords(memory))}.`}
      <Button key={memory._id} size="small" look="quiet" autoFocus onClick={onBack}>
        {t("undo")}
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

  /** What can still be undone goes along: as a message over the page. */
  const leave = () => {
    if (gone) {
      toast.undo(t(deletedWords(gone)), () => again.mutate(gone));
    }
    onClose();
  };

  return (
    <Dialog open onClose={leave} title={title} closable className="room memory-dialog">
      <NewMemory ref={field} character={character} onKeep={add.mutateAsync} />
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
