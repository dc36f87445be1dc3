import { type ReactNode, useMemo } from "react";
import { parse } from "regexparam";
import { matchRoute, useParams as useWouterParams, Route as WouterRoute } from "wouter";
import { useLocation } from "./location";

export interface Route {
  /** In small letters, as `/tag/:tag`; an address fits in any, and with a slash at its end. `*` fits all. */
  path: string;
  element: ReactNode;
}

/** The first whose path the address fits. */
export const firstMatch = <R extends { path: string }>(
  routes: readonly R[],
  pathname: string,
): R | undefined => routes.find(({ path }) => matchRoute(parse, path, pathname)[0]);

/**
 * What belongs to the address: the first whose path it fits. wouter's `Switch` would have each of a list of routes
 * bear a key, and with another key the frame around the page would be built anew.
 */
export function Routes({ routes }: { routes: readonly Route[] }) {
  const route = firstMatch(routes, useLocation().pathname);
  return route && <WouterRoute path={route.path}>{route.element}</WouterRoute>;
}

/** As it was before it stood in an address; what nobody encoded stays as it is. */
function decoded(part: string | undefined): string | undefined {
  try {
    return part && decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** What stands in the address for the names in its route's path. wouter would leave an encoded slash as it is. */
export function useParams(): Readonly<Record<string, string | undefined>> {
  const params = useWouterParams();
  return useMemo(
    () => Object.fromEntries(Object.entries(params).map(([name, part]) => [name, decoded(part)])),
    [params],
  );
}
