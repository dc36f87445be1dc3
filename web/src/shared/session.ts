import { api } from "./api/client";
import { queryClient } from "./api/query";
import { claimsOf, clearToken, readToken, writeToken } from "./api/token";
import type { Preferences, User } from "./api/types";
import { beginAs, forgetBegun } from "./begun";
import { messages } from "./i18n";
import { CHATS_PREFIX } from "./offline";
import { openCaches } from "./storage";
import { useRoot } from "./store";
import { toast } from "./toast";

/** A token older than this is renewed on load, ms. Tokens live 7 days. */
const RENEW_AFTER_MS = 24 * 60 * 60 * 1000;
/** To be told that one is out waits no longer than this for the server, ms. */
const LOGOUT_WAIT_MS = 3000;

/** Called after a login: keeps the token and the user, and carries a visitor's NSFW choice into the account. */
export async function signIn(user: User, token: string): Promise<void> {
  const wanted = useRoot.getState().nsfw;
  writeToken(token);
  useRoot.getState().enter(user);
  queryClient.clear();
  beginAs(user._id);
  void forgetKeptChats();
  if (wanted && !user.preferences?.nsfw) {
    // One is logged in all the same.
    await savePreferences({ ageConfirmed: true, nsfw: true }).catch(sayNotSaved);
  } else useRoot.getState().setNsfw(user.preferences?.nsfw ?? false);
  // The answer to a login leaves out how many messages were sent, and whatever could not be had at that moment; without
  // it, who pays would look as if they did not.
  refreshProfile().catch(() => undefined);
}

/** Tells the server, by the token that still stands, and forgets everything, answer or none. Never fails. */
export async function signOut(): Promise<void> {
  const signal = AbortSignal.timeout(LOGOUT_WAIT_MS);
  const told = readToken()
    ? api.post("logout", { json: {}, signal, keepalive: true }).catch(() => undefined)
    : undefined;
  // Now and not after the answer: of whoever has gone, the server refuses all that it is asked.
  forgetSession();
  forgetBegun();
  await told;
  // What was on its way to the service worker has come by now.
  void forgetKeptChats();
}

/**
 * Drops what this browser holds, without telling the server: the token is already dead. What was begun and not sent
 * stays for whoever comes back.
 */
export function forgetSession(): void {
  clearToken();
  useRoot.getState().leave();
  // An answer that is still on its way would be kept after everything else has gone.
  void queryClient.cancelQueries();
  queryClient.clear();
  void forgetKeptChats();
}

/** What the service worker kept of somebody's chats goes with them. */
export async function forgetKeptChats(): Promise<void> {
  const caches = openCaches();
  const names = (await caches?.keys().catch(() => [])) ?? [];
  const theirs = names.filter((name) => name.startsWith(CHATS_PREFIX));
  await Promise.all(theirs.map((name) => caches?.delete(name).catch(() => false)));
}

/** Fetches the own profile and replaces the stored one with it. */
export async function refreshProfile(): Promise<User | null> {
  const username = useRoot.getState().userData?.username;
  if (!username) return null;
  const user = await api.get<User>(`user/${encodeURIComponent(username)}`, {
    query: { isOwnProfile: true },
  });
  // Whoever has gone meanwhile, or changed their name, is not who was asked for.
  if (useRoot.getState().userData?.username !== username) return null;
  useRoot.getState().setUser(user);
  if (user.preferences) useRoot.getState().setNsfw(user.preferences.nsfw);
  return user;
}

/** Renews a token that has grown old. A failure is quiet: the old one still stands. */
export async function renewIfOld(now = Date.now()): Promise<void> {
  const token = readToken();
  const issued = token ? claimsOf(token)?.iat : undefined;
  if (!issued || now - issued * 1000 < RENEW_AFTER_MS) return;
  const renewed = await api.post<{ token: string }>("session/renew", { json: {} }).catch(() => null);
  if (renewed?.token && readToken() === token) writeToken(renewed.token);
}

export const sayNotSaved = () => toast.error(messages("ui")("notSaved"));

/**
 * Keeps where the reader stands on NSFW, here and on the account, and lets every list be read anew. What the account
 * does not take does not stand here either.
 */
export async function savePreferences(preferences: Partial<Preferences>): Promise<void> {
  if (preferences.nsfw !== undefined) useRoot.getState().setNsfw(preferences.nsfw);
  if (!useRoot.getState().loggedIn) return;
  const answer = await api
    .post<{ preferences: Preferences }>("user/preferences", { json: preferences })
    .catch((error: unknown) => {
      useRoot.getState().setNsfw(useRoot.getState().userData?.preferences?.nsfw ?? false);
      throw error;
    });
  const user = useRoot.getState().userData;
  if (user) useRoot.getState().setUser({ ...user, preferences: answer.preferences });
  useRoot.getState().setNsfw(answer.preferences.nsfw);
  await queryClient.invalidateQueries();
}

/** Whether someone has no paid plan: no profile, or an inactive subscription. */
export function isFree(user: User | null): boolean {
  return !user?.subscriptionStatus || user.subscriptionStatus === "inactive";
}
