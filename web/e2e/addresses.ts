import { ok, type Person } from "./people";

/** A character of the seeds. */
const SOMEONE = "Vesper Lang";

export interface Address {
  name: string;
  path: string;
}

/** Each is a file name, so a slash becomes a hyphen. */
const named = (paths: string[]): Address[] =>
  paths.map((path) => ({ name: path.slice(1).replace(/[/?=&]+/g, "-") || "home", path }));

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
export const OPEN = named([
  "/",
  "/about",
  "/legal",
  ...POLICIES.map((policy) => `/legal/${policy}`),
  "/complaint",
  "/reports",
  "/search",
  "/categories",
  "/tag/elf",
  "/top-creators",
  "/membership",
  "/signup",
  "/verify?email=wren%40example.com",
  "/login",
  "/forgot",
  "/reset",
  "/no-such-page",
]);

/** What a member opens, with a character to look at. */
export async function ofMember(person: Person): Promise<Address[]> {
  const { token } = person;
  const found = await ok("GET", `/api/search?keywords=${encodeURIComponent(SOMEONE)}`, { token });
  const { _id: id, creator } = found.characters[0];
  const places = named([
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
    "/image/create",
    "/chats",
    "/personas",
    "/personas/lorebooks",
    "/notifications",
    "/membership",
    "/account",
    "/account?tab=Security",
    "/account/blocks",
  ]).map(({ name, path }) => ({ name: `member-${name}`, path }));
  return [
    ...places,
    { name: "character", path: `/character/${id}` },
    { name: "chat", path: `/character/${id}/chat` },
    { name: "creator", path: `/creator/${creator.username}` },
  ];
}
