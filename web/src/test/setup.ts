import { cleanup, configure } from "@testing-library/react";
import { afterEach, beforeAll, beforeEach } from "vitest";
import { queryClient } from "@/shared/api/query";
import { initialState, useRoot } from "@/shared/store";
import { useToasts } from "@/shared/toast";
import { loadMenus } from "@/shared/ui/Menu";

/** Longest wait for something to appear, ms: a busy machine is slow, not wrong. */
configure({ asyncUtilTimeout: 10_000 });

// jsdom lays nothing out and moves nothing: what it lacks of the page's own tools stands here, inert.
globalThis.matchMedia ??= (query: string) =>
  ({
    matches: false,
    media: query,
    addEventListener: () => {},
    removeEventListener: () => {},
  }) as unknown as MediaQueryList;
globalThis.IntersectionObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
  takeRecords() {
    return [];
  }
} as unknown as typeof IntersectionObserver;
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
} as unknown as typeof ResizeObserver;
Element.prototype.scrollIntoView ??= () => {};
if (!HTMLDialogElement.prototype.showModal) {
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = function close() {
    this.open = false;
  };
}

// A test opens a menu as whoever has opened one before.
beforeAll(loadMenus);

beforeEach(() => {
  localStorage.clear();
  useRoot.setState(initialState);
  useToasts.setState({ toasts: [] });
  queryClient.clear();
});
afterEach(cleanup);
