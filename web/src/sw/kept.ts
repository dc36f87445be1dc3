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

/** Of the addresses in a cache, oldest first, those that have to make room. */
export function tooOld(urls: readonly string[]): string[] {
  const messages = urls.filter((url) => MESSAGES.test(new URL(url).pathname));
  return messages.slice(0, Math.max(0, messages.length - KEPT_CHATS));
}
