import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { messageOf } from "@/shared/api/errors";
import type { ChatMemory } from "@/shared/api/types";
import { toast } from "@/shared/toast";
import { Button, Checkbox, Dialog, Failure, TextArea } from "@/shared/ui";
import { addMemory, changeMemory, chatKeys, deleteMemory, memoriesOptions } from "../api";
import { MemoryItem } from "./MemoryItem";

/** Most a memory holds, characters. */
export const MAX_MEMORY_CHARS = 1000;

type Answer = { memories: ChatMemory[] };

/** The memories of a chat, changed at once and put back where the server will not. */
function useMemories(chatId: string) {
  const client = useQueryClient();
  const key = chatKeys.memories(chatId);
  const settle = () => client.invalidateQueries({ queryKey: chatKeys.mind(chatId) });
  const guess = async (make: (memories: ChatMemory[]) => ChatMemory[]) => {
    await client.cancelQueries({ queryKey: key });
    const before = client.getQueryData<Answer>(key);
    if (before) client.setQueryData<Answer>(key, { ...before, memories: make(before.memories) });
    return { before };
  };
  const failed = (error: unknown, context: { before?: Answer } | undefined, words: string) => {
    if (context?.before) client.setQueryData(key, context.before);
    toast.error(messageOf(error, words));
  };
  const add = useMutation({
    mutationFn: (memory: { text: string; scope: ChatMemory["scope"] }) => addMemory(chatId, memory),
    onError: (error) => toast.error(messageOf(error, "That could not be written down.")),
    onSettled: settle,
  });
  const change = useMutation({
    mutationFn: ({ id, ...to }: { id: string; text?: string; pinned?: boolean }) => changeMemory(id, to),
    onMutate: ({ id, ...to }) =>
      guess((memories) => memories.map((memory) => (memory._id === id ? { ...memory, ...to } : memory))),
    onError: (error, _, context) => failed(error, context, "The memory could not be changed."),
    onSettled: settle,
  });
  /** A fact that was deleted, written down anew. */
  const again = useMutation({
    mutationFn: async ({ text, scope, pinned }: ChatMemory) => {
      const { memory } = await addMemory(chatId, { text, scope });
      if (pinned !== memory.pinned) await changeMemory(memory._id, { pinned });
    },
    onError: (error) => toast.error(messageOf(error, "The memory could not be brought back.")),
    onSettled: settle,
  });
  const forget = useMutation({
    mutationFn: ({ _id }: ChatMemory) => deleteMemory(_id),
    onMutate: ({ _id }) => guess((memories) => memories.filter((memory) => memory._id !== _id)),
    onError: (error, _, context) => failed(error, context, "The memory could not be deleted."),
    onSettled: settle,
  });
  return { add, again, change, forget };
}

interface MemoryDialogProps {
  chatId: string;
  character: string;
  /** Words to begin a new memory with. */
  draft: string;
  /** Leads to a message; closes the dialog. */
  onJump: (messageId: string) => void;
  onClose: () => void;
}

/** What the character remembers in this chat. */
export function MemoryDialog({ chatId, character, draft, onJump, onClose }: MemoryDialogProps) {
  const { data: memories, isPending, refetch } = useQuery(memoriesOptions(chatId));
  const { add, again, change, forget } = useMemories(chatId);
  /** What was deleted last. A message over the page cannot be reached while the dialog is open, so it is said here. */
  const [gone, setGone] = useState<ChatMemory | null>(null);
  const [text, setText] = useState(draft);
  const [everywhere, setEverywhere] = useState(false);
  const fact = text.trim();

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
    <Dialog
      open
      onClose={onClose}
      title={`What ${character} remembers`}
      closable
      className="room memory-dialog"
    >
      <form className="memory-new" onSubmit={keep}>
        <TextArea
          label="Something to remember"
          data-focus
          placeholder="You owe her an orange."
          rows={2}
          maxLength={MAX_MEMORY_CHARS}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <div className="memory-row">
          <Checkbox checked={everywhere} onChange={setEverywhere}>
            In every chat with {character}
          </Checkbox>
          <Button look="lit" size="small" type="submit" busy={add.isPending} disabled={fact === ""}>
            Remember
          </Button>
        </div>
      </form>
      <div role="status">
        {gone && (
          <p className="note memory-gone">
            Memory deleted.
            <Button
              size="small"
              look="quiet"
              onClick={() => {
                again.mutate(gone);
                setGone(null);
              }}
            >
              Undo
            </Button>
          </p>
        )}
      </div>
      {memories ? (
        memories.length === 0 ? (
          <p className="text-2">
            Nothing yet. As the scene grows, what happened is summed up here, and you can write down facts of
            your own.
          </p>
        ) : (
          <ul className="memories">
            {memories.map((memory) => (
              <MemoryItem
                key={memory._id}
                memory={memory}
                onChange={(to) => change.mutate({ id: memory._id, ...to })}
                onForget={() => {
                  forget.mutate(memory);
                  // A summary stands for messages: nobody can write it down in their place.
                  setGone(memory.kind === "summary" ? null : memory);
                }}
                onJump={onJump}
              />
            ))}
          </ul>
        )
      ) : isPending ? (
        <div className="sees-wait skeleton" role="status" aria-label="Loading">
          <span className="bone w-92" />
          <span className="bone w-60" />
        </div>
      ) : (
        <Failure message="The memories could not be read. Please try again." onRetry={() => void refetch()} />
      )}
    </Dialog>
  );
}
