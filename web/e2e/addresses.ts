/** Every address of the app, as who opens it; `src/app/routes.test.ts` fails when a route has none here. */
export interface Address {
  /** Of its pictures. */
  name: string;
  /** `:character` and its like stand for what is there only while a house runs. */
  path: string;
  /** A call under `/api` that is answered with what no page can show. */
  broken?: string;
}

/** Each is a file name, so a slash becomes a hyphen. */
const named = (who: string, paths: string[]): Address[] =>
  paths.map((path) => ({ name: who + (path.slice(1).replace(/[/?=&:]+/g, "-") || "front"), path }));

const POLICIES = [
  "guidelines",
  "terms",
  "privacy",
  "underage",
  "content-removal",
  "blocked-content",
  "dmca",
  "2257",
];

/** What anyone can open. */
export const OPEN: readonly Address[] = [
  ...named("", [
    "/",
    "/home",
    "/about",
    "/legal",
    ...POLICIES.map((policy) => `/legal/${policy}`),
    "/legal/no-such-policy",
    "/complaint",
    "/reports",
    "/search",
    "/categories",
    "/tag/elf",
    "/top-creators",
    "/character/:character",
    "/character/:nsfw",
    "/creator/:creator",
    "/character/create",
    "/my-images",
    "/membership",
    "/signup",
    "/verify?email=wren%40example.com",
    "/login",
    "/forgot",
    "/reset",
    "/reset?token=0",
    "/no-such-page",
  ]),
  { name: "broken", path: "/top-creators", broken: "creators/top" },
];

/** What somebody opens who pays and has things of their own. */
export const MEMBER: readonly Address[] = named("member-", [
  "/",
  "/for-you",
  "/favorites",
  "/following",
  "/my-characters",
  "/my-images",
  "/search?keywords=tower",
  "/tag/female",
  "/categories",
  "/character/create",
  "/character/edit?id=:own",
  "/character/:own",
  "/character/:character",
  "/character/:character/chat",
  "/image/create",
  "/creator/:creator",
  "/creator/:me",
  "/chats",
  "/personas",
  "/personas/lorebooks",
  "/notifications",
  "/membership",
  "/account",
  "/account?tab=account",
  "/account?tab=security",
  "/account/blocks",
  "/reports",
  "/reports/:report",
]);

/** What is empty or locked for somebody who has only come in. */
export const NEWCOMER: readonly Address[] = named("new-", [
  "/favorites",
  "/following",
  "/my-characters",
  "/my-images",
  "/character/create",
  "/image/create",
  "/chats",
  "/personas",
  "/personas/lorebooks",
  "/notifications",
  "/account",
  "/account/blocks",
  "/reports",
  "/search?keywords=zzqxwvk",
]);

/** What only a moderator opens. */
export const MODERATOR: readonly Address[] = named("", [
  "/admin",
  "/admin/images",
  "/admin/reports",
  "/admin/people",
]);

export const EVERYWHERE: readonly Address[] = [...OPEN, ...MEMBER, ...NEWCOMER, ...MODERATOR];

/** The same addresses with what stands for their placeholders. */
export const filled = (addresses: readonly Address[], found: Readonly<Record<string, string>>): Address[] =>
  addresses.map((address) => ({
    ...address,
    path: address.path.replace(/:(\w+)/g, (whole, name: string) => found[name] ?? whole),
  }));
