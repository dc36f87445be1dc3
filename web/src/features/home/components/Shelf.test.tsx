import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useEffect } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Shelf } from "./Shelf";
import type { Carousel } from "./ShelfMotion";

const steps: number[] = [];
/** jsdom measures nothing, so the carousel itself stands in. */
vi.mock("./ShelfMotion", () => ({
  default: function Stub({ onReady }: { onReady: (carousel: Carousel | null) => void }) {
    useEffect(() => onReady({ go: (step) => void steps.push(step) }), [onReady]);
    return null;
  },
}));

beforeEach(() => {
  steps.length = 0;
  vi.useFakeTimers({ shouldAdvanceTime: true });
});
afterEach(() => vi.useRealTimers());
const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms));

async function open() {
  const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
  render(
    <Shelf id="row" title="Discover our AI Characters" count={3}>
      <a href="/character/a">Vesper</a>
      <a href="/character/b">Bram</a>
      <a href="/character/c">Roz</a>
    </Shelf>,
  );
  await vi.waitFor(() => expect(document.querySelector(".live")).toBeTruthy());
  // Its clock starts after it is drawn.
  await act(async () => {});
  steps.length = 0;
  return user;
}

describe("the moving row", () => {
  it("is a list until the page has loaded", async () => {
    const state = vi.spyOn(document, "readyState", "get").mockReturnValue("interactive");
    const opened = open();
    await act(() => vi.advanceTimersByTimeAsync(500));
    expect(document.querySelector(".shelf-view")).toBeTruthy();
    expect(document.querySelector(".live")).toBeNull();
    state.mockRestore();
    globalThis.dispatchEvent(new Event("load"));
    await opened;
  });

  it("moves on every 3 seconds, and by its buttons", async () => {
    const user = await open();
    pass(9100);
    // The clock also runs by itself, so that a busy machine may see one more.
    expect(steps.slice(0, 3)).toEqual([1, 1, 1]);
    await user.click(screen.getByRole("button", { name: "Previous" }));
    expect(steps).toContain(-1);
  });

  it("rests while it is pointed at or holds the focus, and when it is told to", async () => {
    const user = await open();
    const card = screen.getByRole("link", { name: "Bram" });
    await user.hover(card);
    pass(9100);
    await user.unhover(card);
    act(() => card.focus());
    pass(9100);
    // Who passes over it takes nothing away from whoever stands in it.
    await user.hover(card);
    await user.unhover(card);
    pass(9100);
    act(() => card.blur());
    expect(steps).toEqual([]);
    await user.click(screen.getByRole("button", { name: "Pause the moving row" }));
    pass(9100);
    expect(steps).toEqual([]);
    await user.click(screen.getByRole("button", { name: "Let the row move on" }));
    pass(3100);
    expect(steps).toContain(1);
  });
});
