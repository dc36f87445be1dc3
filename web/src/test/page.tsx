import { notifyManager, type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render } from "@testing-library/react";
import type { ReactElement } from "react";
import { vi } from "vitest";
import { createQueryClient } from "@/shared/api/query";
import { MemoryRouter, Routes, useLocation } from "@/shared/router";

/** Where a page led: its path and what it passed along. */
function Elsewhere() {
  const { pathname, state } = useLocation();
  return <output data-testid="elsewhere">{`${pathname} ${JSON.stringify(state)}`}</output>;
}

/** Puts a page at `path`, opened at `address` (with what was passed along); every other address shows itself. */
export function renderPage(page: ReactElement, path: string, address = path, state?: unknown) {
  const client = createQueryClient();
  const shown = render(
    <QueryClientProvider client={client}>
      <MemoryRouter at={address} state={state}>
        <Routes
          routes={[
            { path, element: page },
            { path: "*", element: <Elsewhere /> },
          ]}
        />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return { ...shown, client };
}

/** Everything on the page is read again, and what came of it is shown. */
export function readAgain(client: QueryClient) {
  return act(async () => {
    await client.invalidateQueries();
    await new Promise<void>((shown) => notifyManager.schedule(shown));
  });
}

/** Stands in for the browser's look at what comes near; what it returns brings there whatever is watched. */
export function watchNear(): () => void {
  const watched = new Set<() => void>();
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      near: () => void;
      constructor(tell: (entries: Partial<IntersectionObserverEntry>[]) => void) {
        this.near = () => tell([{ isIntersecting: true }]);
      }
      observe() {
        watched.add(this.near);
      }
      disconnect() {
        watched.delete(this.near);
      }
    },
  );
  return () =>
    act(() => {
      for (const near of [...watched]) near();
    });
}

export interface Call {
  method: string;
  /** Without `/api/` and without the query. */
  path: string;
  query: URLSearchParams;
  headers: Headers;
  body: unknown;
}

/** A server that answers by `METHOD path`; what it does not know is a 404. Returns what it was asked. */
export function serve(routes: Record<string, (call: Call) => unknown>): Call[] {
  const calls: Call[] = [];
  vi.stubGlobal("fetch", async (address: string, init: RequestInit = {}) => {
    const url = new URL(address, "http://troupe.test");
    const call: Call = {
      method: init.method ?? "GET",
      path: url.pathname.replace("/api/", ""),
      query: url.searchParams,
      headers: new Headers(init.headers),
      body: typeof init.body === "string" ? JSON.parse(init.body) : init.body,
    };
    calls.push(call);
    const route = routes[`${call.method} ${call.path}`];
    const answer = await route?.(call);
    if (answer instanceof Response) return answer;
    return route
      ? new Response(JSON.stringify(answer))
      : new Response(JSON.stringify({ success: false, msg: "Not found", code: "not_found" }), {
          status: 404,
        });
  });
  return calls;
}
