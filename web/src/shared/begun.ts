import { browserKept, openCaches } from "./storage";
import { forgetLines } from "./unsent";

/** Under this, in the browser, is what was written in forms and not sent. */
export const DRAFTS_PREFIX = "drafts:";
/** The cache of the pictures that belong to it. */
export const DRAFT_PICTURES = "draft-pictures";
/** Under this is whose all of it is. */
const OWNER = "begun-by";

/** Lets go of what was begun and not sent: drafts, their pictures, lines in chats. Quiet where nothing can be kept. */
export function forgetBegun(): void {
  forgetLines();
  for (const key of browserKept.keys())
    if (key.startsWith(DRAFTS_PREFIX) || key === OWNER) browserKept.removeItem(key);
  openCaches()
    ?.delete(DRAFT_PICTURES)
    .catch(() => undefined);
}

/** Somebody comes in: what they had begun before their session ran out is still theirs, what others had is not. */
export function beginAs(userId: string): void {
  if (browserKept.getItem(OWNER) === userId) return;
  forgetBegun();
  browserKept.setItem(OWNER, userId);
}
