/** Numbers of the product that the web enforces or shows, each once, with its unit. */

/** Characters per page of search, tag, For You, favourites and created lists. */
export const PAGE_SIZE = 20;
/** Placeholder cards while a list loads. */
export const SKELETON_CARDS = 12;
/** Least time a shown skeleton stays, ms. */
export const MIN_LOADING_MS = 500;
/** The same on For You and Favorites, ms. */
export const MIN_LOADING_SLOW_MS = 1000;
/** Wait before a tag list fetches its next page, ms. */
export const TAG_FETCH_DELAY_MS = 500;
/** A carousel advances this often, ms. */
export const CAROUSEL_MS = 3000;
/** The rotating line: ms per character typed, per character erased, at the end, before the next. */
export const TAGLINE_MS = { type: 100, erase: 50, hold: 2000, gap: 500 } as const;
/** Chat typing effect, ms per character. */
export const CHAT_TYPE_MS = 22;
/** Toasts close by themselves after this, ms; in the chat they stay longer. */
export const TOAST_MS = 3000;
export const CHAT_TOAST_MS = 5000;
/** A toast that can undo something stays this long, ms. */
export const UNDO_TOAST_MS = 10_000;
/** How long the page waits for stored state before it goes on without it, ms. */
export const PERSISTENCE_TIMEOUT_MS = 5000;
/** Free readers may hold this many messages in a chat's loaded history. */
export const FREE_CHAT_MESSAGES = 20;
/** A card's description is cut at this many characters. */
export const CARD_DESCRIPTION_CHARS = 150;
/** A chat list's last message is cut at this many characters. */
export const LAST_MESSAGE_CHARS = 75;
export const MIN_CHARACTER_AGE = 18;
export const MAX_TAGS = 5;
export const MIN_PASSWORD_CHARS = 8;
export const MAX_PASSWORD_CHARS = 128;
export const VERIFY_CODE_CHARS = 6;
/** The review rating a form starts with. */
export const DEFAULT_RATING = 5;
/** Tag chips shown before 'Show more' on Search and Explore. */
export const CHIPS_COLLAPSED = 10;
/** A search takes this many tags; all must match. */
export const MAX_SEARCH_TAGS = 10;
/** People per page of followers and followed. */
export const PEOPLE_PAGE_SIZE = 10;
/** Chats that the ranking of Most Engaging adds to everybody’s: one long one makes nobody first. */
export const ENGAGING_DISCOUNT = 20;
/** Reviews per page. */
export const REVIEWS_PAGE_SIZE = 20;
/** Days that a full ring of remaining membership stands for. */
export const RING_DAYS = 365;
