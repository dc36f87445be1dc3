import { type ComponentType, lazy } from "react";
import { create } from "zustand";
import { hasLiveToken } from "@/shared/api/token";
import { messagesArrived } from "@/shared/i18n";
import { needsLogin } from "@/shared/paths";
import { firstMatch } from "@/shared/router";
import { forRole } from "./guards";
import { type AppRoute, routes } from "./routes";

/** So long the frame waits for the page that one came for, ms. */
const TOGETHER = 200;

/** How many pages' code is on its way. */
export const useLoadingPages = create(() => 0);

async function arrive({ load, role }: AppRoute): Promise<{ default: ComponentType }> {
  useLoadingPages.setState((count) => count + 1, true);
  try {
    const Page = (await load()).default;
    await messagesArrived();
    return { default: role ? forRole(role, Page) : Page };
  } finally {
    useLoadingPages.setState((count) => count - 1, true);
  }
}

let first: { route: AppRoute; page: ReturnType<typeof arrive> } | undefined;

/**
 * Resolves when the page at an address can be shown, or is late. A frame that is shown without its page stays so for 300 ms
 * (`FALLBACK_THROTTLE_MS` of react-dom), and a page asks for what it is about only once it is shown; the code of one whose
 * files the server names in the head is here as soon as the app's.
 */
export async function firstPage(pathname: string): Promise<void> {
  const route = firstMatch(routes, pathname);
  if (!route || (needsLogin(pathname) && !hasLiveToken())) return;
  first = { route, page: arrive(route) };
  const late = new Promise((resolve) => setTimeout(resolve, TOGETHER));
  // What does not come is told of where the page would be.
  await Promise.race([first.page, late]).catch(() => undefined);
}

/** The page of a route, whose code and messages come when it is first shown; meanwhile the page before it stays. */
export const pageOf = (route: AppRoute): ComponentType =>
  lazy(() => (first?.route === route ? first.page : arrive(route)));
