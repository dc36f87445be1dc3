import { afterEach, describe, expect, it, vi } from "vitest";
import { whenIdle } from "./idle";

type Told = (
  list: { getEntriesByName: (name: string) => unknown[] },
  self: { disconnect: () => void },
) => void;

/** A browser that tells of its first paint when `paint` is called, and has not painted before. */
function unpainted(): () => void {
  let tell: Told | undefined;
  const disconnect = () => {
    tell = undefined;
  };
  class Observer {
    static supportedEntryTypes = ["paint"];
    disconnect = disconnect;
    constructor(told: Told) {
      tell = told;
    }
    observe() {}
  }
  vi.stubGlobal("PerformanceObserver", Observer);
  vi.stubGlobal("requestIdleCallback", (run: () => void) => run());
  vi.spyOn(performance, "getEntriesByName").mockReturnValue([]);
  return () => tell?.({ getEntriesByName: () => [{}] }, { disconnect });
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("what may wait for the first view", () => {
  it("waits for a page that has loaded and shows nothing yet, and runs once", () => {
    const paint = unpainted();
    const run = vi.fn();
    whenIdle(run);
    expect(run).not.toHaveBeenCalled();
    paint();
    paint();
    expect(run).toHaveBeenCalledOnce();
  });

  it("runs at once where the page has been seen, or the browser does not tell", () => {
    unpainted();
    vi.spyOn(performance, "getEntriesByName").mockReturnValue([{} as PerformanceEntry]);
    const seen = vi.fn();
    whenIdle(seen);
    expect(seen).toHaveBeenCalledOnce();
    vi.stubGlobal("PerformanceObserver", undefined);
    const untold = vi.fn();
    whenIdle(untold);
    expect(untold).toHaveBeenCalledOnce();
  });
});
