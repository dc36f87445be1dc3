#!/usr/bin/env node
/**
 * A small server that speaks the OpenAI chat protocol, for tests: `node llm-server.mjs [port]`, loopback only.
 * It has no model. It answers each request with the same few sentences and the reader's own words, and
 * misbehaves on request: a word in the last user message chooses how.
 *
 *   fault:401 fault:429 fault:500   answers with that status, before anything is written
 *   fault:malformed                 writes some words, then an event that is not JSON
 *   fault:error-event               writes some words, then an `error` object inside the 200 stream
 *   fault:early-end                 writes some words, then ends without a `finish_reason`
 *   fault:silence                   accepts the request and never writes
 *   slow                            takes its time between words, and has more of them
 *
 * A fault followed by `:once` (`fault:500:once`) happens to the first request that holds this very message only.
 */
import { createServer } from "node:http";

const DEFAULT_PORT = 11435;
/** Pause between words, ms. */
const PACE_MS = 15;
const SLOW_PACE_MS = 60;
const MODEL = "test";
/** Words that are written before a fault in the middle. */
const BEFORE_FAULT = 9;
/** Largest request, bytes. */
const MAX_BODY = 4 * 1024 * 1024;

const port = Number(process.argv[2] ?? process.env.PORT ?? DEFAULT_PORT);
const happened = new Set();

const json = (response, status, body) => {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
};
const refusal = (status, message) => ({ error: { message, type: "test_error", code: String(status) } });

async function bodyOf(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY) throw new Error("too large");
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

const textOf = (content) =>
  Array.isArray(content) ? content.map((part) => part.text ?? "").join(" ") : String(content ?? "");

/** The fault asked for, unless it was one that happens once and has happened. */
function faultOf(said) {
  const asked = said.match(/fault:([a-z0-9-]+)(:once)?/);
  if (!asked) return null;
  if (asked[2]) {
    if (happened.has(said)) return null;
    happened.add(said);
  }
  return asked[1];
}

function replyTo(said) {
  const words = said
    .replace(/fault:\S+/g, "")
    .replace(/[*"“”\s]+/g, " ")
    .trim();
  const reply = `*The test model looks up from its script.* "I heard you: ${words || "go on"}." *It turns a page, slowly, and marks the place with one finger.* "That is all I have to say about it."`;
  const more = `${'*A lamp is moved two inches to the left.* "And again, from the top." '.repeat(8)}`;
  return said.includes("slow") ? `${reply} ${more}` : reply;
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function stream(response, said, fault, wantsUsage, promptTokens) {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const id = `chatcmpl-${Date.now()}`;
  const created = Math.floor(Date.now() / 1000);
  const event = (fields) =>
    response.write(
      `data: ${JSON.stringify({ id, object: "chat.completion.chunk", created, model: MODEL, ...fields })}\n\n`,
    );
  const chunk = (delta, finish = null) =>
    event({ choices: [{ index: 0, delta, finish_reason: finish }], ...(wantsUsage ? { usage: null } : {}) });
  const words = replyTo(said).match(/\S+\s*/g) ?? [];
  const pace = said.includes("slow") ? SLOW_PACE_MS : PACE_MS;

  chunk({ role: "assistant", content: "" });
  for (const [index, word] of words.entries()) {
    if (response.destroyed) return;
    if (fault && index === BEFORE_FAULT) {
      if (fault === "malformed") response.write("data: {not json\n\n");
      if (fault === "error-event") {
        response.write(`data: ${JSON.stringify(refusal(503, "The test model fell off the stage."))}\n\n`);
      }
      // An early end says nothing more: no finish_reason, no [DONE].
      response.end();
      return;
    }
    chunk({ content: word });
    await pause(pace);
  }
  chunk({}, "stop");
  if (wantsUsage) {
    const completion = words.length;
    event({
      choices: [],
      usage: {
        prompt_tokens: promptTokens,
        completion_tokens: completion,
        total_tokens: promptTokens + completion,
      },
    });
  }
  response.end("data: [DONE]\n\n");
}

async function complete(request, response) {
  const body = await bodyOf(request);
  const messages = Array.isArray(body.messages) ? body.messages : [];
  const said = textOf(messages.findLast((message) => message.role === "user")?.content);
  const fault = faultOf(said);
  const status = { 401: 401, 429: 429, 500: 500 }[fault];
  if (status) {
    if (status === 429) response.setHeader("retry-after", "1");
    return json(response, status, refusal(status, `Asked to answer ${status}.`));
  }
  if (fault === "silence") return;
  const promptTokens = messages.reduce(
    (sum, message) => sum + textOf(message.content).split(/\s+/).length,
    0,
  );
  if (body.stream) {
    return stream(response, said, fault, body.stream_options?.include_usage === true, promptTokens);
  }
  const content = replyTo(said);
  const completion = content.split(/\s+/).length;
  return json(response, 200, {
    id: `chatcmpl-${Date.now()}`,
    object: "chat.completion",
    created: Math.floor(Date.now() / 1000),
    model: MODEL,
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completion,
      total_tokens: promptTokens + completion,
    },
  });
}

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, "http://localhost");
  if (request.method === "GET" && pathname === "/v1/models") {
    json(response, 200, { object: "list", data: [{ id: MODEL, object: "model", owned_by: "tests" }] });
  } else if (request.method === "POST" && pathname === "/v1/chat/completions") {
    complete(request, response).catch((error) => {
      if (!response.headersSent) json(response, 400, refusal(400, error.message));
      else response.destroy();
    });
  } else {
    json(response, 404, refusal(404, "Not here."));
  }
});
server.listen(port, "127.0.0.1", () =>
  process.stdout.write(`listening on http://127.0.0.1:${server.address().port}/v1\n`),
);
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    server.closeAllConnections();
    server.close(() => process.exit(0));
  });
}
