/**
 * Pages that people come to from elsewhere, and the module of each under `src/features/`. The server names their
 * files in the head of the page, so that they come with the app and not after it (`scripts/arrivals.mjs`). The
 * first that fits holds; home is part of the app.
 */
export const arrivals: ReadonlyArray<readonly [path: string, page: string]> = [
  ["/search", "listings/pages/Search"],
  ["/categories", "listings/pages/Categories"],
  ["/tag/:tag", "listings/pages/TagListing"],
  ["/character/create", "characters/form/pages/CharacterForm"],
  ["/character/edit", "characters/form/pages/CharacterForm"],
  ["/character/:id", "characters/pages/Profile"],
  ["/character/:id/chat", "chat/pages/Chat"],
  ["/creator/:username", "creators/pages/Creator"],
  ["/top-creators", "creators/pages/TopCreators"],
  ["/chats", "chat/pages/Chats"],
  ["/membership", "billing/pages/Membership"],
  ["/signup", "auth/pages/Signup"],
  ["/verify", "auth/pages/Verify"],
  ["/login", "auth/pages/Login"],
];
