import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import { openStream } from "@/shared/api/sse";
import type {
  ChatMap,
  ChatMemory,
  ChatPage,
  ChatSampling,
  ChatSummary,
  Memory,
  Message,
  MessageHits,
  PromptManifest,
  SamplingOptions,
  SamplingPreset,
  SamplingValues,
  SearchPage,
} from "@/shared/api/types";
import { download } from "@/shared/download";

export const chatKeys = {
  all: ["chats"],
  lists: ["chats", "list"],
  list: (archived: boolean, words: string, character: string) => [
    "chats",
    "list",
    archived,
    words,
    character,
  ],
  hits: (words: string) => ["chats", "hits", words],
  page: (characterId: string, chatId: string | null) => ["chat", characterId, chatId ?? "latest"],
  news: (chatId: string, once: string) => ["news", chatId, once],
  earlier: (chatId: string, before: string, limit: number) => ["earlier", chatId, before, limit],
  /** All that turns of a chat change beside its path. */
  mind: (chatId: string) => ["mind", chatId],
  memories: (chatId: string) => ["mind", chatId, "memories"],
  next: (chatId: string, persona: string) => ["mind", chatId, "next", persona],
  manifest: (messageId: string) => ["manifest", messageId],
  tree: (chatId: string) => ["mind", chatId, "tree"],
  sampling: (chatId: string) => ["sampling", chatId],
  samplingOptions: ["sampling-options"],
} as const;

/** Chats of a page of their list; fewer are the last ones. */
export const CHATS_PAGE = 50;

interface WantedChats {
  archived?: boolean;
  words?: string;
  /** With this character alone. */
  character?: string;
}

export const chatListOptions = ({ archived = false, words = "", character = "" }: WantedChats = {}) =>
  infiniteQueryOptions({
    queryKey: chatKeys.list(archived, words, character),
    queryFn: ({ signal, pageParam }) =>
      api.get<ChatSummary[]>("chats", {
        signal,
        query: { archived: archived || undefined, q: words, character, after: pageParam },
      }),
    initialPageParam: "",
    getNextPageParam: (last) => (last.length < CHATS_PAGE ? undefined : last.at(-1)?._id),
    // A chat that has moved between two pages is listed once.
    select: ({ pages }) => [...new Map(pages.flat().map((chat) => [chat._id, chat])).values()],
    placeholderData: keepPreviousData,
  });

export const chatsOptions = chatListOptions();

/** Messages that hold the words, newest first. */
export const hitsOptions = (words: string) =>
  infiniteQueryOptions({
    queryKey: chatKeys.hits(words),
    queryFn: ({ signal, pageParam }) =>
      api.get<MessageHits>("chats/search", { signal, query: { q: words, page: pageParam } }),
    initialPageParam: 1,
    getNextPageParam: (last, pages) => (last.hasMore ? pages.length + 1 : undefined),
    enabled: words !== "",
    placeholderData: keepPreviousData,
  });

/** Messages that a chat opens with. */
const OPENING_MESSAGES = 50;
/** Most messages that the API gives at once. */
export const MOST_MESSAGES = 2000;

/** A chat with the newest messages of its path. */
export const fetchChat = (
  characterId: string,
  chatId: string | null,
  signal?: AbortSignal,
  limit = OPENING_MESSAGES,
) =>
  api.get<ChatPage>(`chats/${encodeURIComponent(characterId)}/messages`, {
    signal,
    query: { chat: chatId, limit },
  });

/** So many messages of a path before one of it. They are handed on at once: the conversation keeps them. */
export const earlierOptions = (characterId: string, chatId: string, before: string, limit: number) =>
  queryOptions({
    queryKey: chatKeys.earlier(chatId, before, limit),
    queryFn: ({ signal }) =>
      api.get<ChatPage>(`chats/${encodeURIComponent(characterId)}/messages`, {
        signal,
        query: { chat: chatId, before, limit },
      }),
    staleTime: 0,
    gcTime: 0,
  });

/** A chat with a character; the latest one where none is named. */
export const chatOptions = (characterId: string, chatId: string | null) =>
  queryOptions({
    queryKey: chatKeys.page(characterId, chatId),
    queryFn: ({ signal }) => fetchChat(characterId, chatId, signal),
    // The page keeps the conversation itself; a background refetch must not argue with a stream.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

/** Whom the reader plays: a persona's id, or one given whole. Left out, the server takes the default persona. */
export type Role = string | { name: string; description: string; gender: string };

export type Turn = { content: string; persona?: Role } | { isContinue: true; persona?: Role };

const generationPath = (chatId: string, generationId: string) =>
  `chats/${chatId}/generations/${generationId}`;

/** Sends a line, or asks for more, and yields the reply's events. The key makes a repeated send the same send. */
export const sendTurn = (chatId: string, turn: Turn, key: string, signal: AbortSignal) =>
  openStream("POST", `chats/${chatId}/messages`, {
    json: turn,
    headers: { "idempotency-key": key },
    signal,
  });

/** Joins a reply that is being written, or has just ended, after what was read of it. */
export const watchGeneration = (
  chatId: string,
  generationId: string,
  lastEventId: string | null,
  signal: AbortSignal,
) =>
  openStream("GET", generationPath(chatId, generationId), {
    signal,
    lastEventId: lastEventId ?? undefined,
  });

export const stopGeneration = (chatId: string, generationId: string) =>
  api.delete<{ aiMessage: Message | null }>(generationPath(chatId, generationId));

export const clearChat = (chatId: string) =>
  api.post<{ firstMessage: Message; messages: Message[]; undoUntil: string | null }>(
    `chats/${chatId}/clear`,
    {
      json: {},
    },
  );

export const undoClear = (chatId: string) =>
  api.post<{ messages: Message[] }>(`chats/${chatId}/clear/undo`, { json: {} });

const messagePath = (chatId: string, messageId: string) => `chats/${chatId}/messages/${messageId}`;

/** Another reply beside a reply, or one to a line that has none; yields its events. */
export const regenerate = (
  chatId: string,
  messageId: string,
  persona: Role | undefined,
  key: string,
  signal: AbortSignal,
) =>
  openStream("POST", `${messagePath(chatId, messageId)}/regenerate`, {
    json: { persona },
    headers: { "idempotency-key": key },
    signal,
  });

/** One's own line in other words, and the reply to it. */
export const editAndReply = (
  chatId: string,
  messageId: string,
  content: string,
  persona: Role | undefined,
  key: string,
  signal: AbortSignal,
) =>
  openStream("PUT", messagePath(chatId, messageId), {
    json: { content, reply: true, persona },
    headers: { "idempotency-key": key },
    signal,
  });

export const editMessage = (chatId: string, messageId: string, content: string) =>
  api.put<{ message: Message; messages: Message[] }>(messagePath(chatId, messageId), { json: { content } });

export const deleteMessage = (chatId: string, messageId: string) =>
  api.delete<{ deleted: number; messages: Message[] }>(messagePath(chatId, messageId));

export const restoreMessage = (chatId: string, messageId: string) =>
  api.post<{ messages: Message[] }>(`${messagePath(chatId, messageId)}/restore`, { json: {} });

export const setLeaf = (chatId: string, messageId: string) =>
  api.put<{ messages: Message[] }>(`chats/${chatId}/leaf`, { json: { messageId } });

export const forkChat = (chatId: string, messageId: string) =>
  api.post<{ chatId: string; characterId: string; title: string }>(`chats/${chatId}/fork`, {
    json: { messageId },
  });

export const startChat = (characterId: string) =>
  api.post<{ chatId: string }>("chats", { json: { characterId } });

export interface ChatChange {
  /** Empty: it goes by the character's name again. */
  title?: string;
  pinned?: boolean;
  archived?: boolean;
}
export const changeChat = (chatId: string, change: ChatChange) =>
  api.put<{ chat: ChatSummary }>(`chats/${chatId}`, { json: change });
export const deleteChat = (chatId: string) => api.delete<{ undoUntil: string }>(`chats/${chatId}`);
export const restoreChat = (chatId: string) =>
  api.post<{ chat: ChatSummary }>(`chats/${chatId}/restore`, { json: {} });

export type ExportFormat = "markdown" | "json" | "sillytavern";
/** Hands the browser a chat as a file. */
export const exportChat = (chatId: string, format: ExportFormat) =>
  download(`chats/${chatId}/export`, `chat.${format === "markdown" ? "md" : format}`, { format });

export function importChat(characterId: string, file: File) {
  const form = new FormData();
  form.set("characterId", characterId);
  form.set("file", file);
  return api.post<{ chatId: string; messages: number; leftOut: number }>("chats/import", { form });
}

/** Characters by a part of their name. */
export const findCharactersOptions = (words: string) =>
  queryOptions({
    queryKey: ["characters", "find", words],
    queryFn: ({ signal }) => api.get<SearchPage>("search", { signal, query: { keywords: words } }),
    select: (page) => page.characters.filter(({ locked }) => !locked),
    enabled: words !== "",
  });

/** Pages of the map that are fetched at most, of 5,000 messages each. */
const TREE_PAGES = 4;
/** The map of a chat, all pages of it. */
export const treeOptions = (chatId: string) =>
  queryOptions({
    queryKey: chatKeys.tree(chatId),
    queryFn: async ({ signal }) => {
      const get = (after?: string) => api.get<ChatMap>(`chats/${chatId}/tree`, { signal, query: { after } });
      let page = await get();
      const nodes = [...page.nodes];
      for (let pages = 1; page.hasMore && pages < TREE_PAGES; pages++) {
        page = await get(nodes.at(-1)?._id);
        nodes.push(...page.nodes);
      }
      return { ...page, nodes };
    },
    staleTime: 0,
  });

/** What the character saw when it wrote a reply. It does not change any more. */
export const manifestOptions = (chatId: string, messageId: string) =>
  queryOptions({
    queryKey: chatKeys.manifest(messageId),
    queryFn: ({ signal }) =>
      api.get<{ manifest: PromptManifest }>(`${messagePath(chatId, messageId)}/manifest`, { signal }),
    select: (answer) => answer.manifest,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** What the character would see now. */
export const nextPromptOptions = (chatId: string, persona: string | undefined) =>
  queryOptions({
    queryKey: chatKeys.next(chatId, persona ?? ""),
    queryFn: ({ signal }) =>
      api.get<{ manifest: PromptManifest }>(`chats/${chatId}/prompt`, { signal, query: { persona } }),
    select: (answer) => answer.manifest,
  });

export const memoriesOptions = (chatId: string) =>
  queryOptions({
    queryKey: chatKeys.memories(chatId),
    queryFn: ({ signal }) => api.get<{ memories: ChatMemory[] }>(`chats/${chatId}/memories`, { signal }),
    select: (answer) => answer.memories,
  });
export const addMemory = (chatId: string, memory: { text: string; scope: ChatMemory["scope"] }) =>
  api.post<{ memory: Memory }>(`chats/${chatId}/memories`, { json: memory });
export const changeMemory = (id: string, change: { text?: string; pinned?: boolean }) =>
  api.put<unknown>(`memories/${id}`, { json: change });
export const deleteMemory = (id: string) => api.delete<unknown>(`memories/${id}`);

export const samplingOptionsOptions = queryOptions({
  queryKey: chatKeys.samplingOptions,
  queryFn: ({ signal }) => api.get<SamplingOptions>("sampling", { signal }),
});
export const chatSamplingOptions = (chatId: string) =>
  queryOptions({
    queryKey: chatKeys.sampling(chatId),
    queryFn: ({ signal }) => api.get<ChatSampling>(`chats/${chatId}/sampling`, { signal }),
  });
export const saveSampling = (chatId: string, preset: string, values: SamplingValues) =>
  api.put<ChatSampling>(`chats/${chatId}/sampling`, { json: { preset, values } });
export const savePreset = (label: string, values: SamplingValues) =>
  api.post<{ preset: SamplingPreset }>("sampling/presets", { json: { label, values } });
export const deletePreset = (id: string) => api.delete<unknown>(`sampling/presets/${id}`);
