import { afterEach, describe, expect, it, vi } from "vitest";
import { makeUser } from "@/test/make";
import { queryClient } from "./api/query";
import { hasLiveToken, readToken, TOKEN_KEY, writeToken } from "./api/token";
import { confirmAge } from "./nsfw";
import { forgetSession, isFree, renewIfOld, signIn, signOut } from "./session";
import { useRoot } from "./store";
import { useToasts } from "./toast";
import { keepLine, readLine } from "./unsent";

const DAY_S = 86_400;
const token = (claims: object) => `h.${btoa(JSON.stringify(claims))}.s`;
const nowS = () => Math.floor(Date.now() / 1000);

function server(routes: Record<string, unknown>) {
  const calls: string[] = [];
  vi.stubGlobal("fetch", (url: string, init: RequestInit) => {
    const path = url.replace("/api/", "").split("?")[0] ?? "";
    calls.push(`${init.method} ${path}`);
    const body = routes[path];
    return body === undefined
      ? Promise.reject(new TypeError("Failed to fetch"))
      : Promise.resolve(new Response(JSON.stringify(body)));
  });
  return calls;
}

/** Caches by these names, of which there are those that are left. */
function keptCaches(...names: string[]): Set<string> {
  const left = new Set(names);
  vi.stubGlobal("caches", { keys: async () => [...left], delete: async (name: string) => left.delete(name) });
  return left;
}

const DRAFT = "drafts:character:u1:new";
function begin() {
  keepLine("chat", "Wait for me");
  localStorage.setItem(DRAFT, "[]");
}
const begun = () => [readLine("chat"), localStorage.getItem(DRAFT)];

afterEach(() => vi.unstubAllGlobals());

describe("a session", () => {
  it("is kept under root and jwt, and comes back from there", async () => {
    await signIn(makeUser(), token({ exp: nowS() + DAY_S }));
    const stored = JSON.parse(localStorage.getItem("root") ?? "{}") as { state: Record<string, unknown> };
    expect(stored.state).toMatchObject({ loggedIn: true, userData: { username: "wren" } });
    expect(Object.keys(stored.state).sort()).toEqual([
      "creators",
      "language",
      "loggedIn",
      "noticed",
      "nsfw",
      "rememberMe",
      "userData",
    ]);
    expect(hasLiveToken()).toBe(true);
  });

  it("tells the server before it drops the token, and ends even when no answer comes", async () => {
    const calls = server({});
    await signIn(makeUser(), token({ exp: nowS() + DAY_S }));
    useRoot.getState().setRememberMe(true, "wren@example.com");
    await signOut();
    expect(calls.at(-1)).toBe("POST logout");
    expect(readToken()).toBeNull();
    expect(useRoot.getState()).toMatchObject({ loggedIn: false, userData: null });
    expect(useRoot.getState().rememberMe.email).toBe("wren@example.com");
  });

  it("ends at once, however long the server takes to hear of it, and asks it for nothing any more", async () => {
    const patience = new AbortController();
    const limit = vi.spyOn(AbortSignal, "timeout").mockReturnValue(patience.signal);
    server({});
    await signIn(makeUser(), token({ exp: nowS() + DAY_S }));
    const reading = await new Promise<AbortSignal>((asked) => {
      const queryFn = ({ signal }: { signal: AbortSignal }) => {
        asked(signal);
        return new Promise<never>(() => undefined);
      };
      void queryClient.prefetchQuery({ queryKey: ["chats"], queryFn });
    });
    const sent: Headers[] = [];
    vi.stubGlobal(
      "fetch",
      (_url: string, { headers, signal }: RequestInit) =>
        new Promise((_resolve, reject) => {
          sent.push(new Headers(headers));
          signal?.addEventListener("abort", () => reject(signal.reason));
        }),
    );
    const bearer = `Bearer ${readToken()}`;
    expect(reading.aborted).toBe(false);
    const out = signOut();
    expect(reading.aborted).toBe(true);
    expect(readToken()).toBeNull();
    expect(useRoot.getState().loggedIn).toBe(false);
    expect(sent.map((headers) => headers.get("authorization"))).toEqual([bearer]);
    patience.abort(new DOMException("", "TimeoutError"));
    await out;
    limit.mockRestore();
  });

  it("takes along at its end what was begun, kept or looked at", async () => {
    server({});
    const caches = keptCaches("chats-u1", "draft-pictures", "shell");
    await signIn(makeUser(), token({ exp: nowS() + DAY_S }));
    begin();
    caches.add("chats-u1");
    useRoot.getState().rememberCreator({ _id: "u2", username: "velvetfox", pfp: null });
    await signOut();
    expect(begun()).toEqual(["", null]);
    expect(useRoot.getState().creators).toEqual([]);
    await expect.poll(() => [...caches]).toEqual(["shell"]);
  });

  it("that ran out leaves what was begun to its owner, and to nobody else", async () => {
    server({});
    await signIn(makeUser(), token({ exp: nowS() + DAY_S }));
    begin();
    forgetSession();
    await signIn(makeUser(), token({ exp: nowS() + DAY_S }));
    expect(begun()).toEqual(["Wait for me", "[]"]);
    forgetSession();
    const caches = keptCaches("draft-pictures");
    await signIn(makeUser({ _id: "u2" }), token({ exp: nowS() + DAY_S }));
    expect(begun()).toEqual(["", null]);
    await expect.poll(() => caches.size).toBe(0);
  });

  it("is over when its token is", () => {
    writeToken(token({ exp: nowS() - 1 }));
    expect(hasLiveToken()).toBe(false);
    localStorage.setItem(TOKEN_KEY, "not a token");
    expect(hasLiveToken()).toBe(false);
  });

  it("renews a token that is a day old and leaves a young one", async () => {
    const calls = server({ "session/renew": { success: true, token: "fresh" } });
    writeToken(token({ iat: nowS() - 60, exp: nowS() + DAY_S }));
    await renewIfOld();
    expect(calls).toEqual([]);
    writeToken(token({ iat: nowS() - 2 * DAY_S, exp: nowS() + DAY_S }));
    await renewIfOld();
    expect(readToken()).toBe("fresh");
  });

  it("asks again for what the answer to a login did not know", async () => {
    server({ "user/wren": makeUser({ subscriptionStatus: "active" }) });
    await signIn(makeUser({ subscriptionStatus: undefined }), token({ exp: nowS() + DAY_S }));
    await expect.poll(() => isFree(useRoot.getState().userData)).toBe(false);
  });

  it("takes a visitor's NSFW choice into the account", async () => {
    const calls = server({
      "user/preferences": { success: true, preferences: { ageConfirmed: true, nsfw: true } },
    });
    useRoot.getState().setNsfw(true);
    await signIn(makeUser(), token({ exp: nowS() + DAY_S }));
    expect(calls[0]).toBe("POST user/preferences");
    expect(useRoot.getState().userData?.preferences?.nsfw).toBe(true);
  });
});

describe("an NSFW choice that could not be saved", () => {
  const NOT_SAVED = ["Your choice could not be saved. Please try again."];
  const said = () => useToasts.getState().toasts.map(({ text }) => text);

  it("does not stand", async () => {
    server({});
    useRoot.getState().enter(makeUser());
    await confirmAge();
    expect(said()).toEqual(NOT_SAVED);
    expect(useRoot.getState().nsfw).toBe(false);
  });

  it("keeps nobody out who has logged in", async () => {
    server({});
    useRoot.getState().setNsfw(true);
    await signIn(makeUser(), token({ exp: nowS() + DAY_S }));
    expect(useRoot.getState()).toMatchObject({ loggedIn: true, nsfw: false });
    expect(said()).toEqual(NOT_SAVED);
  });
});

describe("who is free", () => {
  it("has no profile or an inactive subscription; canceled keeps what was paid", () => {
    expect(isFree(null)).toBe(true);
    expect(isFree(makeUser({ subscriptionStatus: "inactive" }))).toBe(true);
    expect(isFree(makeUser({ subscriptionStatus: "active" }))).toBe(false);
    expect(isFree(makeUser({ subscriptionStatus: "canceled" }))).toBe(false);
  });
});
