/** Caches of one reader's chats begin with this; signing out empties them all. */
export const CHATS_PREFIX = "chats-";
