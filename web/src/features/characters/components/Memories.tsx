import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import type { Character } from "@/shared/api/types";
import { paths } from "@/shared/paths";
import { useLoggedIn } from "@/shared/store";
import { ButtonLink, Empty, PagedList } from "@/shared/ui";
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
  const head = useRef<HTMLParagraphElement>(null);
  return (
    <PagedList
      list={list}
      count={memories.length}
      className="recalls"
      loading="Loading memories"
      bones={BONES.map((key) => (
        <div className="recall skeleton" key={key}>
          <span className="bone w-92" />
          <span className="bone w-60" />
        </div>
      ))}
      failure="Failed to load memories. Please try again."
      empty={
        <Empty
          title="Nothing remembered yet"
          action={<ButtonLink to={paths.chat(character._id)}>Chat</ButtonLink>}
        >
          As you talk, what matters is kept here: to read, to put right, or to have forgotten.
        </Empty>
      }
    >
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
      </div>
    </PagedList>
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
