import type { ComponentType } from "react";
import Home from "@/features/home";

type PageModule = { default: ComponentType };

export interface AppRoute {
  path: string;
  /** What the browser tab says; null where the page names itself from its data. */
  title: string | null;
  load: () => Promise<PageModule>;
  /** `house`: header, navigation, footer. `door`: the page stands alone, as sign-up does. `talk`: the chat's own room. */
  frame: "house" | "door" | "talk";
  /** Its texts follow the reader's language; those of the other pages are English. */
  translated?: boolean;
  /** Only for who has this role; to everyone else the page does not exist. */
  role?: "admin";
}

const house = (path: string, title: string | null, load: AppRoute["load"]): AppRoute => ({
  path,
  title,
  load,
  frame: "house",
});
const door = (path: string, load: AppRoute["load"]): AppRoute => ({
  path,
  title: null,
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
  house("/", null, homePage),
  house("/home", null, homePage),
  house("/about", "About", () => import("@/features/legal/pages/About")),
  house("/legal", "Legal", () => import("@/features/legal/pages/LegalIndex")),
  house("/legal/:policy", null, () => import("@/features/legal/pages/Policy")),
  house("/complaint", "Complaint Policy", () => import("@/features/legal/pages/Complaint")),
  house("/search", null, () => import("@/features/listings/pages/Search")),
  house("/categories", null, () => import("@/features/listings/pages/Categories")),
  house("/tag/:tag", null, () => import("@/features/listings/pages/TagListing")),
  house("/for-you", null, () => import("@/features/listings/pages/ForYou")),
  house("/favorites", null, () => import("@/features/listings/pages/Favorites")),
  house("/following", null, () => import("@/features/listings/pages/Following")),
  house("/my-characters", null, () => import("@/features/listings/pages/MyCharacters")),
  house("/top-creators", null, () => import("@/features/creators/pages/TopCreators")),
  house("/creator/:username", null, () => import("@/features/creators/pages/Creator")),
  house("/character/create", "Create a Character", characterForm),
  house("/character/edit", "Edit Character", characterForm),
  house("/character/:id", null, () => import("@/features/characters/pages/Profile")),
  house("/image/create", "Create an Image", () => import("@/features/images/pages/CreateImage")),
  house("/my-images", "My images", () => import("@/features/images/pages/MyImages")),
  { ...house("/chats", null, () => import("@/features/chat/pages/Chats")), translated: true },
  house("/personas", null, () => import("@/features/personas/pages/Personas")),
  {
    ...house("/personas/lorebooks", null, () => import("@/features/lorebooks/pages/Lorebooks")),
    translated: true,
  },
  { ...house("/reports", null, () => import("@/features/reports/pages/Reports")), translated: true },
  {
    ...house("/reports/:number", null, () => import("@/features/reports/pages/ReportStand")),
    translated: true,
  },
  { ...house("/membership", null, () => import("@/features/billing/pages/Membership")), translated: true },
  house("/account", "Account", () => import("@/features/account/pages/Account")),
  { ...house("/account/blocks", null, () => import("@/features/blocks/pages/Blocks")), translated: true },
  {
    ...house("/notifications", null, () => import("@/features/notifications/pages/Notifications")),
    translated: true,
  },
  { ...house("/admin", null, moderation), role: "admin" },
  { ...house("/admin/images", null, moderation), role: "admin" },
  { ...house("/admin/reports", null, moderation), role: "admin" },
  { ...house("/admin/people", null, moderation), role: "admin" },
  door("/signup", () => import("@/features/auth/pages/Signup")),
  door("/verify", () => import("@/features/auth/pages/Verify")),
  door("/login", () => import("@/features/auth/pages/Login")),
  door("/forgot", () => import("@/features/auth/pages/Forgot")),
  door("/reset", () => import("@/features/auth/pages/Reset")),
  {
    path: "/character/:id/chat",
    title: null,
    load: () => import("@/features/chat/pages/Chat"),
    frame: "talk",
    translated: true,
  },
];
