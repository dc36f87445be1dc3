import { type ComponentType, lazy } from "react";
import { create } from "zustand";
import { messagesArrived } from "@/shared/i18n";
import { forRole } from "./guards";
import type { AppRoute } from "./routes";

/** How many pages' code is on its way. */
export const useLoadingPages = create(() => 0);

/** The page of a route, whose code and messages come when it is first shown; meanwhile the page before it stays. */
export function pageOf({ load, role }: AppRoute): ComponentType {
  return lazy(async () => {
    useLoadingPages.setState((count) => count + 1, true);
    try {
      const Page = (await load()).default;
      await messagesArrived();
      return { default: role ? forRole(role, Page) : Page };
    } finally {
      useLoadingPages.setState((count) => count - 1, true);
    }
  });
}
