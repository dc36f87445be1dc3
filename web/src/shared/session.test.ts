import { afterEach, describe, expect, it, vi } from "vitest";
import { makeUser } from "@/test/make";
import { hasLiveToken, readToken, TOKEN_KEY, writeToken } from "./api/token";
import { isFree, renewIfOld, signIn, signOut } from "./session";
import { useRoot } from "./store";
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
    expect(calls).toEqual(["POST logout"]);
    expect(readToken()).toBeNull();
    expect(useRoot.getState()).toMatchObject({ loggedIn: false, userData: null });
    expect(useRoot.getState().rememberMe.email).toBe("wren@example.com");
  });

  it("takes lines along that were begun and not sent", async () => {
    server({});
    await signIn(makeUser(), token({ exp: nowS() + DAY_S }));
    keepLine("chat", "Wait for me");
    expect(readLine("chat")).toBe("Wait for me");
    await signOut();
    expect(readLine("chat")).toBe("");
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

  it("takes a visitor's NSFW choice into the account", async () => {
    const calls = server({
      "user/preferences": { success: true, preferences: { ageConfirmed: true, nsfw: true } },
    });
    useRoot.getState().setNsfw(true);
    await signIn(makeUser(), token({ exp: nowS() + DAY_S }));
    expect(calls).toEqual(["POST user/preferences"]);
    expect(useRoot.getState().userData?.preferences?.nsfw).toBe(true);
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
