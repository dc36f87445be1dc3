import { expect, it } from "vitest";
import { networkError } from "@/shared/api/errors";
import type { ServerEvent } from "@/shared/api/sse";
import type { ConversationAction } from "./conversation";
import { readReply } from "./readReply";

const event = (name: string, data: unknown, id?: string): ServerEvent => ({
  event: name,
  data: JSON.stringify(data),
  id,
});
const aiMessage = { _id: "reply", content: "", state: "streaming" };
const start = event("start", { generationId: "gen", userMessage: null, aiMessage }, "gen:0");
const delta = event("delta", { text: "*She " }, "gen:5");

async function read(events: ServerEvent[], broken?: Error) {
  const told: ConversationAction["type"][] = [];
  const stream = (async function* () {
    yield* events;
    if (broken) throw broken;
  })();
  return { ...(await readReply(stream, (action) => told.push(action.type))), told };
}

it("ends with the reply", async () => {
  const done = event("done", { aiMessage: { ...aiMessage, state: "complete" } }, "gen:5");
  expect(await read([start, delta, done])).toMatchObject({ ended: true, told: ["start", "delta", "done"] });
});

it("knows where to come back after a break", async () => {
  const { ended, position, progressed, error } = await read([start, delta], networkError());
  expect({ ended, position, progressed }).toEqual({
    ended: false,
    position: { generationId: "gen", lastEventId: "gen:5" },
    progressed: true,
  });
  expect(error?.isNetwork).toBe(true);
});

it("does not take a broken way for a broken reply", async () => {
  const broken = event("error", {
    code: "unavailable",
    msg: "We cannot reach a part of the house.",
    aiMessage: null,
  });
  expect(await read([start, delta, broken])).toMatchObject({
    ended: false,
    position: { lastEventId: "gen:5" },
    told: ["start", "delta"],
  });
});

it("ends with a reply that failed, its message in hand", async () => {
  const failed = event("error", {
    code: "engine_error",
    msg: "Sorry.",
    aiMessage: { ...aiMessage, state: "failed" },
  });
  expect(await read([start, failed])).toMatchObject({ ended: true, told: ["start", "error"] });
});
