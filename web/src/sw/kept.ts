import { CHATS_PREFIX } from "@/shared/offline";

/** What the service worker keeps of the house's answers, and for whom. Free of the worker itself, so that it can be tested. */

/** Chats of which the messages stay readable without a network. */
export const KEPT_CHATS = 20;

const LIST = "/api/chats";
const MESSAGES = /^\/api\/chats\/[^/]+\/messages$/;

/** Whether an answer is one that is read again offline: the list of chats, or the newest messages of one. */
export function isKept(method: string, url: URL): boolean {
  if (method !== "GET") return false;
  // What was said before them would drive out other chats, a page at a time.
  const newest = MESSAGES.test(url.pathname) && !url.searchParams.has("before");
  return newest || (url.pathname === LIST && url.search === "");
}

/** Name of the cache of the reader whom a bearer token belongs to; null for a visitor. */
export function cacheOf(authorization: string | null): string | null {
  const payload = authorization?.split(".")[1];
  if (!payload) return null;
  try {
    const { sub } = JSON.parse(atob(payload.replace(/-/g, "+").replace(/_/g, "/"))) as { sub?: unknown };
    return typeof sub === "string" && sub ? CHATS_PREFIX + sub : null;
  } catch {
    return null;
  }
}

/** An answer that is kept, and the chat whose messages it holds; none for the list of chats. */
export interface KeptAnswer {
  url: string;
  chat: string | null;
}

/** Header of a kept copy: whose messages it holds. One chat has two addresses, that of its character and its own. */
const CHAT = "x-kept-chat";

/** The copy that is kept of an answer. */
export async function copyOf(answer: Response): Promise<Response> {
  const body = await answer.arrayBuffer();
  const headers = new Headers(answer.headers);
  const said: unknown = await new Response(body).json().catch(() => null);
  const { chatId } = (said ?? {}) as { chatId?: unknown };
  if (typeof chatId === "string") headers.set(CHAT, chatId);
  return new Response(body, { status: answer.status, headers });
}

/** What a kept copy is of. */
export function keptAnswer(url: string, copy: Response | undefined): KeptAnswer {
  const { pathname } = new URL(url);
  return { url, chat: MESSAGES.test(pathname) ? (copy?.headers.get(CHAT) ?? pathname) : null };
}

/** Of the answers in a cache, oldest first, the addresses of those that have to make room. */
export function tooOld(answers: readonly KeptAnswer[]): string[] {
  const newest = [...new Set(answers.map(({ chat }) => chat).reverse())].filter((chat) => chat !== null);
  const staying = new Set(newest.slice(0, KEPT_CHATS));
  return answers.filter(({ chat }) => chat !== null && !staying.has(chat)).map(({ url }) => url);
}
