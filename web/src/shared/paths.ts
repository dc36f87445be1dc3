/** Addresses of the app, in one place; `app/routes.ts` gives each its page. */
export const paths = {
  home: "/",
  about: "/about",
  legal: "/legal",
  legalPage: (slug: string) => `/legal/${slug}`,
  complaint: "/complaint",
  search: "/search",
  signup: "/signup",
  verify: "/verify",
  login: "/login",
  forgot: "/forgot",
  topCreators: "/top-creators",
  favorites: "/favorites",
  myCharacters: "/my-characters",
  myImages: "/my-images",
  following: "/following",
  forYou: "/for-you",
  createCharacter: "/character/create",
  createImage: "/image/create",
  editCharacter: (id: string) => `/character/edit?id=${encodeURIComponent(id)}`,
  categories: "/categories",
  tag: (slug: string) => `/tag/${encodeURIComponent(slug)}`,
  creator: (username: string) => `/creator/${encodeURIComponent(username)}`,
  chats: "/chats",
  personas: "/personas",
  lorebooks: "/personas/lorebooks",
  membership: "/membership",
  account: "/account",
  reports: "/reports",
  /** Where a report or a decision stands; the number is the secret. */
  report: (number: string) => `/reports/${encodeURIComponent(number)}`,
  accountTab: (tab: "account" | "security") => `/account?tab=${tab}`,
  blocks: "/account/blocks",
  notifications: "/notifications",
  admin: "/admin",
  adminImages: "/admin/images",
  adminReports: "/admin/reports",
  adminPeople: "/admin/people",
  character: (id: string) => `/character/${id}`,
  /** The latest chat with a character, or a chat of one's own choice, opened at a message. */
  chat: (id: string, { chat, at }: { chat?: string; at?: string } = {}) => {
    const query = new URLSearchParams({ ...(chat && { chat }), ...(at && { at }) }).toString();
    return `/character/${id}/chat${query && `?${query}`}`;
  },
} as const;

/** The home page answers at two addresses. */
export const isHome = (pathname: string) => pathname === paths.home || pathname === "/home";

/** First or inner segments that only a logged-in reader may see. Whole segments: `/creator/account-fan` is public. */
const GUARDED = new Set([
  "account",
  "billing",
  "settings",
  "for-you",
  "following",
  "my-characters",
  "favorites",
  "chat",
  "chats",
  "lorebooks",
  "notifications",
]);

/** Whether a path needs a login. What follows `/creator/`, `/tag/` and `/legal/` is a name, not a segment of ours. */
export function needsLogin(pathname: string): boolean {
  const segments = pathname.toLowerCase().split("/").filter(Boolean);
  if (segments[0] === "creator" || segments[0] === "tag" || segments[0] === "legal") return false;
  return segments.some((segment) => GUARDED.has(segment));
}

/** A place to return to after login, if it is a path of our own origin; else null. */
export function safeRedirect(path: unknown, origin = globalThis.location.origin): string | null {
  if (typeof path !== "string" || !path.startsWith("/")) return null;
  try {
    const url = new URL(path, origin);
    return url.origin === origin ? url.pathname + url.search + url.hash : null;
  } catch {
    return null;
  }
}
