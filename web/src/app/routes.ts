import type { ComponentType } from "react";
import Home from "@/features/home";

type PageModule = { default: ComponentType };

export interface AppRoute {
  path: string;
  load: () => Promise<PageModule>;
  /** `house`: header, navigation, footer. `door`: the page stands alone, as sign-up does. `talk`: the chat's own room. */
  frame: "house" | "door" | "talk";
  /** Its texts follow the reader's language; those of the other pages are English. */
  translated?: boolean;
  /** Only for who has this role; to everyone else the page does not exist. */
  role?: "admin";
}

const house = (path: string, load: AppRoute["load"]): AppRoute => ({
  path,
  load,
  frame: "house",
});
const door = (path: string, load: AppRoute["load"]): AppRoute => ({
  path,
  load,
  frame: "door",
  translated: true,
});

/** The home page comes with the app: most visits begin there. */
const homePage = () => Promise.resolve({ default: Home });
const characterForm = () => import("@/features/characters/form/pages/CharacterForm");

const moderation = () => import("@/features/admin/pages/Moderation");

/** Every address of the specification and the page that answers it. Each page is a chunk of its own. */
export const routes: readonly AppRoute[] = [
  house("/", homePage),
  house("/home", homePage),
  house("/about", () => import("@/features/legal/pages/About")),
  house("/legal", () => import("@/features/legal/pages/LegalIndex")),
  house("/legal/:policy", () => import("@/features/legal/pages/Policy")),
  house("/complaint", () => import("@/features/legal/pages/Complaint")),
  house("/search", () => import("@/features/listings/pages/Search")),
  house("/categories", () => import("@/features/listings/pages/Categories")),
  house("/tag/:tag", () => import("@/features/listings/pages/TagListing")),
  house("/for-you", () => import("@/features/listings/pages/ForYou")),
  house("/favorites", () => import("@/features/listings/pages/Favorites")),
  house("/following", () => import("@/features/listings/pages/Following")),
  house("/my-characters", () => import("@/features/listings/pages/MyCharacters")),
  house("/top-creators", () => import("@/features/creators/pages/TopCreators")),
  house("/creator/:username", () => import("@/features/creators/pages/Creator")),
  house("/character/create", characterForm),
  house("/character/edit", characterForm),
  house("/character/:id", () => import("@/features/characters/pages/Profile")),
  house("/image/create", () => import("@/features/images/pages/CreateImage")),
  house("/my-images", () => import("@/features/images/pages/MyImages")),
  { ...house("/chats", () => import("@/features/chat/pages/Chats")), translated: true },
  house("/personas", () => import("@/features/personas/pages/Personas")),
  {
    ...house("/personas/lorebooks", () => import("@/features/lorebooks/pages/Lorebooks")),
    translated: true,
  },
  { ...house("/reports", () => import("@/features/reports/pages/Reports")), translated: true },
  {
    ...house("/reports/:number", () => import("@/features/reports/pages/ReportStand")),
    translated: true,
  },
  { ...house("/membership", () => import("@/features/billing/pages/Membership")), translated: true },
  house("/account", () => import("@/features/account/pages/Account")),
  { ...house("/account/blocks", () => import("@/features/blocks/pages/Blocks")), translated: true },
  {
    ...house("/notifications", () => import("@/features/notifications/pages/Notifications")),
    translated: true,
  },
  { ...house("/admin", moderation), role: "admin" },
  { ...house("/admin/images", moderation), role: "admin" },
  { ...house("/admin/reports", moderation), role: "admin" },
  { ...house("/admin/people", moderation), role: "admin" },
  door("/signup", () => import("@/features/auth/pages/Signup")),
  door("/verify", () => import("@/features/auth/pages/Verify")),
  door("/login", () => import("@/features/auth/pages/Login")),
  door("/forgot", () => import("@/features/auth/pages/Forgot")),
  door("/reset", () => import("@/features/auth/pages/Reset")),
  {
    path: "/character/:id/chat",
    load: () => import("@/features/chat/pages/Chat"),
    frame: "talk",
    translated: true,
  },
];
