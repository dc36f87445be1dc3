// wouter's `hook`. Its own tells React of a new address at once (`useSyncExternalStore`), which no transition can hold
// back: the page before would give way to a skeleton. Nor does it tell entries of the history apart, nor how the reader
// came, which the scroll memory asks, nor go back, nor refuse an address that is not ours.
import {
  createContext,
  type ReactNode,
  startTransition,
  useCallback,
  useContext,
  useLayoutEffect,
  useState,
} from "react";
import { Router } from "wouter";
import { newKey } from "../key";

/** Where the reader is. */
export interface Location {
  /** Encoded, as the browser has it. */
  pathname: string;
  /** With its `?`, or empty. */
  search: string;
  /** With its `#`, or empty. */
  hash: string;
  /** What was passed along by who led here, null where nothing was; a reload keeps it. */
  state: unknown;
  /** Tells the entries of the history apart; `default` for one that was opened and not led to. */
  key: string;
}

/** How the reader came: led to a new entry, or to another in place of the last, or back and forth among what there was. */
type Action = "PUSH" | "REPLACE" | "POP";

export interface NavigateOptions {
  /** In place of the entry of the history that the reader is at; without a word, where that has the same address. */
  replace?: boolean | undefined;
  /** Passed along: the location's `state`. */
  state?: unknown;
}

/** To an address of ours, or by so many entries of the history. */
export interface NavigateFunction {
  (to: string, options?: NavigateOptions): void;
  (delta: number): void;
}

/** What the browser keeps with an entry. */
type Kept = Partial<Pick<Location, "state" | "key">> | null;

/** The entries of a visit; the reader is at one of them. */
interface Visit {
  here: () => Location;
  enter: (url: URL, kept: Kept, replace: boolean) => void;
  go: (delta: number) => void;
}

const locationOf = ({ pathname, search, hash }: URL | globalThis.Location, kept: Kept): Location => ({
  pathname,
  search,
  hash,
  state: kept?.state ?? null,
  key: kept?.key ?? "default",
});

const inBrowser: Visit = {
  here: () => locationOf(globalThis.location, history.state as Kept),
  enter: (url, kept, replace) => history[replace ? "replaceState" : "pushState"](kept, "", url),
  go: (delta) => history.go(delta),
};

/** Leaves the browser's address alone, and knows no way back. */
function inMemory(address: string, state: unknown): Visit {
  let here = locationOf(new URL(address, globalThis.location.origin), { state });
  return {
    here: () => here,
    enter: (url, kept) => {
      here = locationOf(url, kept);
    },
    go: () => {},
  };
}

interface Place {
  location: Location;
  action: Action;
}

const PlaceContext = createContext<Place | null>(null);
const NavigateContext = createContext<NavigateFunction | null>(null);

function needed<T>(value: T | null): T {
  if (value === null) throw new Error("Not inside a router.");
  return value;
}

/** The same function for as long as the app stands. */
export const useNavigate = () => needed(useContext(NavigateContext));

export const useLocation = () => needed(useContext(PlaceContext)).location;

export const useNavigationType = () => needed(useContext(PlaceContext)).action;

/** wouter decodes what its hooks say, and what comes out is decoded again: encoded twice, it is read as it was meant. */
const forWouter = (encoded: string) => encoded.replaceAll("%", "%25");

const usePath = (): [string, NavigateFunction] => [forWouter(useLocation().pathname), useNavigate()];
const useQuery = () => forWouter(useLocation().search);

function Visited({ visit, children }: { visit: Visit; children: ReactNode }) {
  const [place, setPlace] = useState<Place>(() => ({ location: visit.here(), action: "POP" }));
  // As a transition: the page before stays until the code of the next has come.
  const show = useCallback(
    (action: Action) => startTransition(() => setPlace({ location: visit.here(), action })),
    [visit],
  );
  useLayoutEffect(() => {
    const popped = () => show("POP");
    globalThis.addEventListener("popstate", popped);
    return () => globalThis.removeEventListener("popstate", popped);
  }, [show]);
  const navigate = useCallback(
    (to: string | number, { replace, state }: NavigateOptions = {}) => {
      if (typeof to === "number") return visit.go(to);
      const { pathname, search, hash } = visit.here();
      const { origin } = globalThis.location;
      const here = new URL(origin + pathname + search + hash);
      const url = new URL(to, here);
      if (url.origin !== origin) throw new TypeError(`Not an address of ours: ${to}`);
      const inPlace = replace ?? url.href === here.href;
      visit.enter(url, { state, key: newKey() }, inPlace);
      show(inPlace ? "REPLACE" : "PUSH");
    },
    [visit, show],
  );
  return (
    <NavigateContext value={navigate}>
      <PlaceContext value={place}>
        <Router hook={usePath} searchHook={useQuery}>
          {children}
        </Router>
      </PlaceContext>
    </NavigateContext>
  );
}

/** Around the app: where it is, by the browser's address. */
export function BrowserRouter({ children }: { children: ReactNode }) {
  return <Visited visit={inBrowser}>{children}</Visited>;
}

interface MemoryRouterProps {
  /** Where it begins. */
  at?: string;
  state?: unknown;
  children: ReactNode;
}

/** Around what must not touch the browser's address: tests and the gallery. */
export function MemoryRouter({ at = "/", state = null, children }: MemoryRouterProps) {
  const [visit] = useState(() => inMemory(at, state));
  return <Visited visit={visit}>{children}</Visited>;
}
