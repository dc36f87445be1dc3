import { afterEach, describe, expect, it, vi } from "vitest";
import { browserKept, openCaches } from "./storage";

const closed = () => {
  throw new DOMException("The operation is insecure.", "SecurityError");
};

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  for (const key of browserKept.keys()) browserKept.removeItem(key);
});

describe("what the browser keeps", () => {
  it("outlives the page where there is room", () => {
    expect(browserKept.setItem("a", "1")).toBe(true);
    expect(localStorage.getItem("a")).toBe("1");
    expect(browserKept.getItem("a")).toBe("1");
  });

  it("is newer in memory than in a storage that has grown full", () => {
    browserKept.setItem("a", "1");
    const full = vi.spyOn(Storage.prototype, "setItem").mockImplementation(closed);
    expect(browserKept.setItem("a", "2")).toBe(false);
    expect(browserKept.getItem("a")).toBe("2");
    full.mockRestore();
    expect(browserKept.setItem("a", "3")).toBe(true);
    expect([browserKept.getItem("a"), localStorage.getItem("a")]).toEqual(["3", "3"]);
    browserKept.removeItem("a");
    expect(browserKept.getItem("a")).toBeNull();
  });

  it("is no way to become somebody by the prototype of what is kept", async () => {
    localStorage.setItem("root", '{"state":{"__proto__":{"loggedIn":true,"nsfw":true}},"version":1}');
    vi.resetModules();
    const { useRoot } = await import("./store");
    const { loggedIn, nsfw } = useRoot.getState();
    expect([loggedIn, nsfw, ({} as Record<string, unknown>).loggedIn]).toEqual([false, false, undefined]);
  });

  it("does not keep a page waiting that cannot be read", async () => {
    localStorage.setItem("root", '{"state":{"nsfw":');
    vi.resetModules();
    const { useRoot } = await import("./store");
    expect(useRoot.persist.hasHydrated()).toBe(true);
    expect(useRoot.getState().loggedIn).toBe(false);
  });

  it("is what this page knows where the data of sites is blocked", async () => {
    vi.spyOn(globalThis, "localStorage", "get").mockImplementation(closed);
    vi.spyOn(globalThis, "sessionStorage", "get").mockImplementation(closed);
    Object.defineProperty(globalThis, "caches", { get: closed, configurable: true });
    vi.resetModules();
    // As the app finds it when it starts.
    const { useRoot } = await import("./store");
    const { discountEnd } = await import("./countdown");
    const { hasLiveToken, writeToken } = await import("./api/token");
    expect(useRoot.persist.hasHydrated()).toBe(true);
    expect(discountEnd(1000)).toBe(discountEnd(2000));
    writeToken(`h.${btoa(JSON.stringify({ exp: 4_000_000_000 }))}.s`);
    useRoot.getState().setNsfw(true);
    expect(hasLiveToken()).toBe(true);
    expect(openCaches()).toBeNull();
    Reflect.deleteProperty(globalThis, "caches");
  });
});
