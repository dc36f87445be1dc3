import { forgetLines } from "./unsent";

/** Under this, in localStorage, is what was written in forms and not sent. */
export const DRAFTS_PREFIX = "drafts:";
/** The cache of the pictures that belong to it. */
export const DRAFT_PICTURES = "draft-pictures";
/** Under this is whose all of it is. */
const OWNER = "begun-by";

/** Lets go of what was begun and not sent: drafts, their pictures, lines in chats. Quiet where nothing can be kept. */
export function forgetBegun(): void {
  forgetLines();
  try {
    for (const key of Object.keys(localStorage))
      if (key.startsWith(DRAFTS_PREFIX) || key === OWNER) localStorage.removeItem(key);
  } catch {
    // Closed to us: nothing was kept.
  }
  if ("caches" in globalThis) caches.delete(DRAFT_PICTURES).catch(() => undefined);
}

/** Somebody comes in: what they had begun before their session ran out is still theirs, what others had is not. */
export function beginAs(userId: string): void {
  try {
    if (localStorage.getItem(OWNER) === userId) return;
    forgetBegun();
    localStorage.setItem(OWNER, userId);
  } catch {
    // Closed to us: nothing was kept.
  }
}
