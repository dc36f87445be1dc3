import { afterEach, describe, expect, it, vi } from "vitest";
import { speak } from "../i18n";
import { api, buildUrl, latestRequestId, onUnauthorized } from "./client";
import { ApiError, messageOf } from "./errors";
import { writeToken } from "./token";

type Handler = (request: { url: string; init: RequestInit }) => Response | Promise<Response>;

function answer(handler: Handler) {
  const fetched = vi.fn((url: string, init: RequestInit) => Promise.resolve(handler({ url, init })));
  vi.stubGlobal("fetch", fetched);
  return fetched;
}

const json = (status: number, body: unknown, headers?: Record<string, string>) =>
  new Response(JSON.stringify(body), { status, headers });

async function thrownBy(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new Error(`expected an ApiError, got ${String(error)}`);
  return error;
}

afterEach(() => vi.unstubAllGlobals());

describe("addresses", () => {
  it("leaves out what is empty and joins lists with commas", () => {
    expect(buildUrl("search", { page: 2, tags: ["oc", "elf"], keywords: "", sort: undefined })).toBe(
      "/api/search?page=2&tags=oc%2Celf",
    );
    expect(buildUrl("/chats", { tags: [] })).toBe("/api/chats");
  });
});

describe("calls", () => {
  it("carry the stored token and a JSON body", async () => {
    writeToken("abc");
    const fetched = answer(() => json(200, { success: true }));
    await api.post("login", { json: { email: "a@b.cd" } });
    const headers = fetched.mock.calls[0]?.[1].headers as Headers;
    expect(headers.get("authorization")).toBe("Bearer abc");
    expect(headers.get("content-type")).toBe("application/json");
    expect(fetched.mock.calls[0]?.[1].body).toBe('{"email":"a@b.cd"}');
  });

  it("leave the content type of a form to the browser, which knows its boundary", async () => {
    const fetched = answer(() => json(200, {}));
    await api.post("create", { form: new FormData() });
    const headers = fetched.mock.calls[0]?.[1].headers as Headers;
    expect(headers.has("content-type")).toBe(false);
  });

  it("let no answer change what every object has", async () => {
    const hostile = '{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}';
    answer(() => new Response(`{"user":${hostile},"__proto__":{"admin":true}}`));
    const body = await api.get<Record<string, unknown>>("user/me");
    answer(() => new Response(`{"success":false,"code":"__proto__","fields":${hostile}}`, { status: 400 }));
    const refused = await thrownBy(api.post("user/update", { json: { ...body } }));
    answer(() => new Response('{"code":"invalid","fields":{"__proto__":"x","name":"y"}}', { status: 400 }));
    const other = await thrownBy(api.post("user/update", { json: {} }));
    expect(({} as Record<string, unknown>).admin).toBeUndefined();
    expect([refused.fields, Object.keys(other.fields)]).toEqual([{}, ["name"]]);
  });

  it("throw the server's own words, code and fields", async () => {
    answer(() =>
      json(400, {
        success: false,
        msg: "Nope",
        message: "Nope",
        code: "bad_email",
        fields: { email: "Odd" },
      }),
    );
    const error = await thrownBy(api.post("signup", { json: {} }));
    expect(error).toMatchObject({
      message: "Nope",
      status: 400,
      code: "bad_email",
      fields: { email: "Odd" },
    });
    expect(messageOf(error, "Unknown error signing up.")).toBe("Nope");
  });

  it("read an error that sits under data", async () => {
    answer(() => json(400, { data: { success: false, msg: "Link is used" } }));
    expect((await thrownBy(api.post("reset-password"))).message).toBe("Link is used");
  });

  it("say that no answer came, and let the page use its own sentence", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
    const error = await thrownBy(api.get("chats"));
    expect(error.isNetwork).toBe(true);
    expect(error.message).toBe("No answer from the server. Check your connection and try again.");
    expect(messageOf(error, "Failed to load chats. Please try again.")).toBe(
      "Failed to load chats. Please try again.",
    );
  });

  it("say so in the reader's language", async () => {
    await speak("fr");
    answer(() => new Response("", { status: 413 }));
    expect((await thrownBy(api.post("images"))).message).toBe("Ce fichier est trop volumineux.");
    await speak("en");
  });

  it("treat a page of HTML where JSON was due as no answer", async () => {
    answer(() => new Response("<html>", { status: 200 }));
    expect((await thrownBy(api.get("chats"))).isNetwork).toBe(true);
  });

  it("carry an id, and an error keeps the one that the server logged it by", async () => {
    const fetched = answer(() => json(500, {}));
    const sent = async () => {
      const error = await thrownBy(api.get("chats"));
      const headers = fetched.mock.lastCall?.[1].headers as Headers;
      return { error, id: headers.get("x-request-id") };
    };
    const first = await sent();
    expect(first.id).toMatch(/^[0-9a-f]{32}$/);
    expect(first.error.requestId).toBe(first.id);
    fetched.mockImplementation(() => Promise.resolve(json(500, {}, { "x-request-id": "of-the-edge" })));
    expect((await sent()).error.requestId).toBe("of-the-edge");
    expect(latestRequestId()).toBe("of-the-edge");
  });

  it("keep how long to wait", async () => {
    answer(() => json(503, {}, { "retry-after": "7" }));
    expect((await thrownBy(api.get("chats"))).retryAfter).toBe(7);
  });

  it("let an abort through as it is", async () => {
    const stop = new AbortController();
    vi.stubGlobal("fetch", () => {
      stop.abort();
      return Promise.reject(new DOMException("stopped", "AbortError"));
    });
    await expect(api.get("chats", { signal: stop.signal })).rejects.toHaveProperty("name", "AbortError");
  });
});

describe("a 401", () => {
  it("is told to the app only when a token had been sent", async () => {
    const told = vi.fn();
    const stop = onUnauthorized(told);
    answer(() => json(401, { msg: "Wrong e-mail or password." }));
    await thrownBy(api.post("login"));
    expect(told).not.toHaveBeenCalled();
    writeToken("dead");
    await thrownBy(api.get("chats"));
    expect(told).toHaveBeenCalledExactlyOnceWith("dead");
    stop();
  });
});
