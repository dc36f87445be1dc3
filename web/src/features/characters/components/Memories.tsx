import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import type { Character } from "@/shared/api/types";
import { useMinLoading } from "@/shared/hooks/useMinLoading";
import { MIN_LOADING_MS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { useLoggedIn } from "@/shared/store";
import { Button, ButtonLink, Empty, Failure } from "@/shared/ui";
import { chatNamesOptions, memoriesOptions, useChangeMemory, useForgetMemory } from "../memories";
import { MemoryItem } from "./MemoryItem";

const BONES = ["first", "second", "third"];

type Who = Pick<Character, "_id" | "name">;

function MemoryList({ character }: { character: Who }) {
  const list = useInfiniteQuery(memoriesOptions(character._id));
  const memories = list.data?.pages.flatMap((page) => page.memories) ?? [];
  const { data: names } = useQuery({
    ...chatNamesOptions,
    enabled: memories.some((memory) => memory.chatId !== null),
  });
  const change = useChangeMemory(character._id);
  const forget = useForgetMemory(character._id);
  const loading = useMinLoading(list.isPending, MIN_LOADING_MS);
  const head = useRef<HTMLParagraphElement>(null);

  if (loading) {
    return (
      <div className="recalls" role="status" aria-label="Loading memories">
        {BONES.map((key) => (
          <div className="recall skeleton" key={key}>
            <span className="bone w-92" />
            <span className="bone w-60" />
          </div>
        ))}
      </div>
    );
  }
  if (list.isError && memories.length === 0) {
    return (
      <Failure message="Failed to load memories. Please try again." onRetry={() => void list.refetch()} />
    );
  }
  if (memories.length === 0) {
    return (
      <Empty
        title="Nothing remembered yet"
        action={<ButtonLink to={paths.chat(character._id)}>Chat</ButtonLink>}
      >
        As you talk, what matters is kept here: to read, to put right, or to have forgotten.
      </Empty>
    );
  }
  return (
    <div className="recalls">
      <p className="text-2" ref={head} tabIndex={-1}>
        What {character.name} remembers of you. Only you see this; pinned ones are told before every reply.
      </p>
      <ul>
        {memories.map((memory) => (
          <MemoryItem
            key={memory._id}
            memory={memory}
            chatName={memory.chatId ? names?.get(memory.chatId) : undefined}
            onChange={(patch) => change.mutate({ id: memory._id, patch })}
            onForget={() => {
              forget.mutate({ id: memory._id });
              // Its button goes; once the dialog has closed, the focus stays in the list.
              setTimeout(() => head.current?.focus());
            }}
          />
        ))}
      </ul>
      {list.hasNextPage && (
        <div className="list-end">
          <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Load More
          </Button>
        </div>
      )}
    </div>
  );
}

/** The tab: what this character remembers of the reader, over all their chats. */
export function Memories({ character }: { character: Who }) {
  const loggedIn = useLoggedIn();
  return (
    <div className="tab-room">
      {loggedIn ? (
        <MemoryList character={character} />
      ) : (
        <Empty
          title="Memories are between you two"
          action={
            <ButtonLink to={paths.login} state={{ redirectPath: paths.character(character._id) }}>
              Login
            </ButtonLink>
          }
        >
          Log in to see what {character.name} remembers of you.
        </Empty>
      )}
    </div>
  );
}
