import { describe, expect, it } from "vitest";
import { cacheOf, copyOf, isKept, KEPT_CHATS, keptAnswer, tooOld } from "./kept";

const at = (path: string) => new URL(path, "https://troupe.test");
const bearer = (claims: unknown) => `Bearer h.${btoa(JSON.stringify(claims))}.s`;

describe("what is kept for reading offline", () => {
  it("is the list of chats and the messages of one", () => {
    expect(isKept("GET", at("/api/chats"))).toBe(true);
    expect(isKept("GET", at("/api/chats/018f/messages?chat=2"))).toBe(true);
  });

  it("is a chat's newest messages alone, so that a long one drives out no other", () => {
    expect(isKept("GET", at("/api/chats/018f/messages?limit=50"))).toBe(true);
    expect(isKept("GET", at("/api/chats/018f/messages?before=1&limit=100"))).toBe(false);
  });

  it("is nothing else: no search, no stream, no sending", () => {
    expect(isKept("GET", at("/api/chats?q=tower"))).toBe(false);
    expect(isKept("GET", at("/api/chats/018f/generations/1"))).toBe(false);
    expect(isKept("POST", at("/api/chats/018f/messages"))).toBe(false);
    expect(isKept("GET", at("/api/events"))).toBe(false);
  });

  it("belongs to one reader, and to nobody without a token", () => {
    expect(cacheOf(bearer({ sub: "u1" }))).toBe("chats-u1");
    expect(cacheOf(null)).toBeNull();
    expect(cacheOf("Bearer broken")).toBeNull();
    expect(cacheOf("Bearer a.%%.c")).toBeNull();
  });

  it("makes room for new chats, the oldest first, and keeps the list", () => {
    const list = "https://troupe.test/api/chats";
    const chat = (n: number) => `https://troupe.test/api/chats/${n}/messages`;
    const answer = (url: string) => keptAnswer(url, undefined);
    const urls = [list, ...Array.from({ length: KEPT_CHATS + 2 }, (_, n) => chat(n))];
    expect(tooOld(urls.map(answer))).toEqual([chat(0), chat(1)]);
    expect(tooOld([list, chat(1)].map(answer))).toEqual([]);
  });

  it("counts a chat once that was opened by two addresses, and keeps both while either is used", async () => {
    const copy = await copyOf(Response.json({ chatId: "c0", messages: [] }));
    expect(await copy.clone().json()).toEqual({ chatId: "c0", messages: [] });
    const character = "https://troupe.test/api/chats/vesper/messages?limit=50";
    const itself = `${character}&chat=c0`;
    const others = Array.from({ length: KEPT_CHATS - 1 }, (_, n) => ({ url: `o${n}`, chat: `o${n}` }));
    const kept = [keptAnswer(character, copy), ...others, keptAnswer(itself, copy)];
    expect(tooOld(kept)).toEqual([]);
    expect(tooOld([...kept, { url: "new", chat: "new" }])).toEqual(["o0"]);
    const left = [keptAnswer(character, copy), keptAnswer(itself, copy), ...others];
    expect(tooOld([...left, { url: "new", chat: "new" }])).toEqual([character, itself]);
  });
});
