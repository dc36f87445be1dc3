import { afterEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "./errors";
import { openStream, readEvents, type ServerEvent } from "./sse";

function streamOf(...chunks: (string | Uint8Array)[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks)
        controller.enqueue(typeof chunk === "string" ? encoder.encode(chunk) : chunk);
      controller.close();
    },
  });
}

async function collect(events: AsyncIterable<ServerEvent>): Promise<ServerEvent[]> {
  const all: ServerEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

afterEach(() => vi.unstubAllGlobals());

describe("server-sent events", () => {
  it("come out whole however the bytes were cut", async () => {
    const bytes = new TextEncoder().encode('event: delta\nid: g:3\ndata: {"text":"né"}\n\n');
    // The cut falls inside the two bytes of the é.
    const cut = bytes.indexOf(0xc3) + 1;
    const events = await collect(readEvents(streamOf(bytes.slice(0, cut), bytes.slice(cut))));
    expect(events).toEqual([{ event: "delta", id: "g:3", data: '{"text":"né"}' }]);
  });

  it("skip comments and name what has no name", async () => {
    expect(await collect(readEvents(streamOf(": keep alive\n\n", "data: a\ndata: b\n\n")))).toEqual([
      { event: "message", id: undefined, data: "a\nb" },
    ]);
  });

  it("drop an event that the connection cut short", async () => {
    expect(await collect(readEvents(streamOf("data: whole\n\ndata: hal")))).toHaveLength(1);
  });
});

describe("opening a stream", () => {
  it("asks for events and says where it left off", async () => {
    const fetched = vi.fn((_url: string, _init: RequestInit) =>
      Promise.resolve(
        new Response(streamOf("event: done\ndata: {}\n\n"), {
          headers: { "content-type": "text/event-stream; charset=utf-8" },
        }),
      ),
    );
    vi.stubGlobal("fetch", fetched);
    const events = await collect(openStream("GET", "chats/1/generations/2", { lastEventId: "2:40" }));
    const headers = fetched.mock.calls[0]?.[1].headers as Headers;
    expect(events.map((event) => event.event)).toEqual(["done"]);
    expect(headers.get("accept")).toBe("text/event-stream");
    expect(headers.get("last-event-id")).toBe("2:40");
  });

  it("throws a refusal with its reason", async () => {
    vi.stubGlobal("fetch", () =>
      Promise.resolve(
        new Response(JSON.stringify({ msg: "Busy", code: "generation_running" }), { status: 409 }),
      ),
    );
    await expect(collect(openStream("POST", "chats/1/messages"))).rejects.toMatchObject({
      status: 409,
      code: "generation_running",
    });
  });

  it("says so when the connection breaks midway, and stays quiet when the reader left", async () => {
    const broken = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            controller.error(new TypeError("reset"));
          },
        }),
        { headers: { "content-type": "text/event-stream" } },
      );
    vi.stubGlobal("fetch", () => Promise.resolve(broken()));
    await expect(collect(openStream("GET", "events"))).rejects.toBeInstanceOf(ApiError);
    const left = new AbortController();
    vi.stubGlobal("fetch", () => {
      left.abort();
      return Promise.resolve(broken());
    });
    expect(await collect(openStream("GET", "events", { signal: left.signal }))).toEqual([]);
  });

  it("stays quiet when the reader leaves before it stands", async () => {
    const left = new AbortController();
    vi.stubGlobal(
      "fetch",
      (_: unknown, { signal }: RequestInit) =>
        new Promise((_, fail) => signal?.addEventListener("abort", () => fail(signal.reason))),
    );
    const reading = collect(openStream("GET", "events", { signal: left.signal }));
    left.abort();
    expect(await reading).toEqual([]);
  });
});
