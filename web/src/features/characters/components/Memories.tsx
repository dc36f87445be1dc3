import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import type { Character } from "@/shared/api/types";
import { paths } from "@/shared/paths";
import { useLoggedIn } from "@/shared/store";
import { ButtonLink, Empty, PagedList } from "@/shared/ui";
import { useMessages } from "../i18n";
import { chatNamesOptions, memoriesOptions, useChangeMemory, useForgetMemory } from "../memories";
import { MemoryItem } from "./MemoryItem";

const BONES = ["first", "second", "third"];

type Who = Pick<Character, "_id" | "name">;

function MemoryList({ character }: { character: Who }) {
  const t = useMessages("memories");
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
      loading={t("loading")}
      bones={BONES.map((key) => (
        <div className="recall skeleton" key={key}>
          <span className="bone w-92" />
          <span className="bone w-60" />
        </div>
      ))}
      failure={t("failed")}
      empty={
        <Empty title={t("none")} action={<ButtonLink to={paths.chat(character._id)}>{t("chat")}</ButtonLink>}>
          {t("noneText")}
        </Empty>
      }
    >
      <div className="recalls">
        <p className="text-2" ref={head} tabIndex={-1}>
          {t("lead", { name: character.name })}
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
  const t = useMessages("memories");
  const loggedIn = useLoggedIn();
  return (
    <div className="tab-room">
      {loggedIn ? (
        <MemoryList character={character} />
      ) : (
        <Empty
          title={t("closed")}
          action={
            <ButtonLink to={paths.login} state={{ redirectPath: paths.character(character._id) }}>
              {t("login")}
            </ButtonLink>
          }
        >
          {t("closedText", { name: character.name })}
        </Empty>
      )}
    </div>
  );
}
