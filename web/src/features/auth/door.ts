import { safeRedirect } from "@/shared/paths";
import { useLocation } from "@/shared/router";

/** What one of these pages hands to the next through the router. */
export interface DoorState {
  email?: string;
  /** Where the reader wanted to go: a path of our own origin. */
  redirectPath?: string;
  /** Something to say on arrival. */
  error?: string;
}

/** The state handed over, its path checked. */
export function useDoorState(): DoorState {
  const state = (useLocation().state ?? {}) as DoorState;
  return { ...state, redirectPath: safeRedirect(state.redirectPath) ?? undefined };
}
