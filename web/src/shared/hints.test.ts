import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Hint } from "./api/types";
import { listenForHints } from "./hintStream";
import { OPENED, onHint, RECONNECTED } from "./hints";

const streamOf = (text: string) => new Response(text, { headers: { "content-type": "text/event-stream" } });

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("the hint stream", () => {
  it("comes back after a break and says that something may have been missed", async () => {
    const answers = [
      () => Promise.resolve(streamOf('event: hint\ndata: {"type":"image.completed","id":"i1"}\n\n')),
      () => Promise.reject(new TypeError("down")),
      () =>
        Promise.resolve(
          streamOf(
            'event: hint\ndata: {"type":"character.changed","id":"c1"}\n\nevent: hint\ndata: {"type":"reload","id":""}\n\n',
          ),
        ),
      () => Promise.resolve(new Response("{}", { status: 401 })),
    ];
    vi.stubGlobal("fetch", () => answers.shift()?.());
    const heard: Hint[] = [];
    const stop = onHint((hint) => heard.push(hint));
    const listening = listenForHints(new AbortController().signal);
    await vi.advanceTimersByTimeAsync(10_000);
    // The refusal at the end is taken for an answer: nobody knocks again.
    await listening;
    expect(heard).toEqual([
      OPENED,
      { type: "image.completed", id: "i1" },
      RECONNECTED,
      { type: "character.changed", id: "c1" },
      RECONNECTED,
    ]);
    stop();
  });
});
