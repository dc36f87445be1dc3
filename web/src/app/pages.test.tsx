import { QueryClientProvider } from "@tanstack/react-query";
import { screen } from "@testing-library/react";
import { startTransition } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "@/shared/api/query";
import { firstMatch, MemoryRouter } from "@/shared/router";
import { App } from "./App";
import { firstPage } from "./pages";
import { routes } from "./routes";

/** A frame that waits for its page. */
const EMPTY = ".page-wait";

// As a browser renders: `act` does not wait for code that is here.
beforeEach(() => vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", false));
let leave = () => {};
afterEach(() => {
  leave();
  vi.unstubAllGlobals();
});

/** Comes to a page as from outside; answers whether there was a frame without a page meanwhile. */
async function arrive(address: string): Promise<boolean> {
  const root = document.body.appendChild(document.createElement("div"));
  let waited = false;
  const watch = new MutationObserver(() => {
    waited ||= root.querySelector(EMPTY) !== null;
  });
  watch.observe(root, { childList: true, subtree: true });
  const app = createRoot(root);
  leave = () => {
    app.unmount();
    root.remove();
  };
  startTransition(() =>
    app.render(
      <QueryClientProvider client={queryClient}>
        <MemoryRouter at={address}>
          <App />
        </MemoryRouter>
      </QueryClientProvider>,
    ),
  );
  await screen.findByRole("heading", { level: 1 });
  watch.disconnect();
  return waited;
}

// Each page once: its code is here from then on.
describe("the page that one came for", () => {
  it("comes after its frame, when its code does", async () => {
    expect(await arrive("/about")).toBe(true);
  });

  it("comes with its frame, when its code is here in time", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    await firstPage("/legal").finally(() => vi.useRealTimers());
    expect(await arrive("/legal")).toBe(false);
  });

  it("is not waited for when its code does not come", async () => {
    const terms = firstMatch(routes, "/legal/terms");
    if (!terms) throw new Error("no such page");
    vi.spyOn(terms, "load").mockReturnValue(new Promise(() => {}));
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const shown = firstPage("/legal/terms").finally(() => vi.useRealTimers());
    vi.runAllTimers();
    await expect(shown).resolves.toBeUndefined();
  });
});
