import { createHash, randomUUID, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { connect } from "node:http2";
import { connect as connectPlain, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { createParser } from "eventsource-parser";
import { chromium } from "playwright-core";
import { expect, it } from "vitest";
import { HOUSE, PATIENCE_MS } from "./house";
import { join, ok, type Person } from "./people";

/** What only the edge does, asked of the real Envoy before two replicas of everything. */

/** Where the edge listens without TLS. */
const PLAIN = process.env.TROUPE_EDGE_PLAIN ?? "";

interface Happened {
  id: string;
  event: string;
  text: string;
  /** When it was read, ms. */
  at: number;
}

/** Reads a stream of events until `enough` says so or it ends. */
async function read(response: Response, enough: (all: Happened[]) => boolean): Promise<Happened[]> {
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  expect(response.headers.get("content-encoding"), "a stream is never compressed").toBeNull();
  const all: Happened[] = [];
  const parser = createParser({
    onEvent: ({ id = "", event = "", data }) =>
      all.push({ id, event, text: JSON.parse(data).text ?? "", at: performance.now() }),
  });
  const text = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    parser.feed(text.decode(chunk, { stream: true }));
    if (enough(all)) break;
  }
  return all;
}

const written = (all: Happened[]) => all.map((happened) => happened.text).join("");
const as = (person: Person) => ({
  authorization: `Bearer ${person.token}`,
  "accept-encoding": "br, gzip",
  accept: "text/event-stream",
});

/** What the edge says of itself, with and without TLS. */
const SAFE = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** Writes bytes as they are, and reads until the other side hangs up. */
const exchangeRaw = (socket: Socket, bytes: string) =>
  new Promise<string>((resolve, reject) => {
    let answer = "";
    socket.on("data", (data) => {
      answer += data.toString("latin1");
    });
    socket.on("error", reject).on("close", () => resolve(answer));
    socket.write(bytes);
  });

it("sends whoever comes without TLS to the same address with it", async () => {
  const answer = await fetch(`${PLAIN}/search?keywords=lamp`, { redirect: "manual" });
  expect(answer.status).toBe(301);
  expect(answer.headers.get("location")).toBe(`${HOUSE}/search?keywords=lamp`);
  expect(Object.fromEntries(answer.headers)).toMatchObject(SAFE);
  expect(answer.headers.get("strict-transport-security"), "it counts over TLS alone").toBeNull();
});

it("leads no program that comes without TLS on to TLS", async () => {
  for (const path of ["/api", "/api/meta", "/webhooks/stripe"]) {
    const answer = await fetch(`${PLAIN}${path}`, { redirect: "manual" });
    expect(answer.status, path).toBe(403);
    expect(answer.headers.get("location")).toBeNull();
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(Object.fromEntries(answer.headers)).toMatchObject(SAFE);
    expect(await answer.json()).toMatchObject({ success: false, code: "forbidden" });
  }
});

it("refuses what is malformed without TLS with the same headers", async () => {
  const { hostname, port } = new URL(PLAIN);
  const answer = await exchangeRaw(
    connectPlain(Number(port), hostname),
    "GET / HTTP/1.1\r\nconnection: close\r\n\r\n",
  );
  expect(answer).toMatch(/^HTTP\/1.1 400 /);
  for (const [name, value] of Object.entries(SAFE)) expect(answer).toContain(`${name}: ${value}\r\n`);
});

/** A handshake; what it agreed on, or the alert that refused it. */
const handshake = (options: ConnectionOptions) =>
  new Promise<{ protocol: string | null; cipher: string } | string>((resolve) => {
    const { hostname, port } = new URL(HOUSE);
    const socket = connectTls({ host: hostname, port: Number(port), servername: "localhost", ...options });
    socket.on("secureConnect", () => {
      resolve({ protocol: socket.getProtocol(), cipher: socket.getCipher().name });
      socket.destroy();
    });
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });

it("speaks TLS 1.2 and 1.3, with suites that keep a secret, and nothing older", async () => {
  for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
    const agreed = await handshake({ minVersion: version, maxVersion: version });
    expect(agreed).toMatchObject({ protocol: version });
    expect((agreed as { cipher: string }).cipher).toMatch(/^(ECDHE-ECDSA|TLS)[-_].*(GCM|POLY1305)/);
  }
  const old = await handshake({ minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "ALL:@SECLEVEL=0" });
  expect(old, "its own word, not ours").toBe("ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION");
  for (const weak of ["ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384", "AES128-GCM-SHA256"]) {
    const refused = await handshake({
      minVersion: "TLSv1.2",
      maxVersion: "TLSv1.2",
      ciphers: `${weak}:@SECLEVEL=0`,
    });
    expect(refused, weak).toMatch(/^ERR_SSL_(SSL\/TLS|TLSV1|SSLV3)_ALERT_HANDSHAKE_FAILURE$/);
  }
});

it("passes no request on whose end could be read in two ways", async () => {
  const { hostname, port, host } = new URL(HOUSE);
  const smuggled = `GET /robots.txt HTTP/1.1\r\nhost: ${host}\r\n\r\n`;
  for (const lengths of [
    `content-length: ${5 + smuggled.length}\r\ntransfer-encoding: chunked`,
    `content-length: 5\r\ncontent-length: ${5 + smuggled.length}`,
    "transfer-encoding: chunked, identity",
    "transfer-encoding: xchunked",
  ]) {
    const socket = connectTls({ host: hostname, port: Number(port), servername: "localhost" });
    const head = `POST /api/forgot-password HTTP/1.1\r\nhost: ${host}\r\n${lengths}\r\n\r\n`;
    const answer = await exchangeRaw(socket, `${head}0\r\n\r\n${smuggled}`);
    expect(answer, lengths).toMatch(/^HTTP\/1.1 (400|501) /);
    expect(answer.match(/HTTP\/1.1 /g), "one answer, and the line is closed").toHaveLength(1);
  }
});

it("speaks HTTP/2, demands TLS from now on, and gives the request an id of its own", async () => {
  const session = connect(HOUSE);
  const headers = await new Promise<Record<string, unknown>>((resolve, reject) => {
    session.on("error", reject);
    session
      .request({ ":path": "/", "x-request-id": "of-the-client", "accept-encoding": "br" })
      .on("response", resolve)
      .on("error", reject)
      .resume();
  });
  session.close();
  expect(headers).toMatchObject({
    ":status": 200,
    "content-encoding": "br",
    "strict-transport-security": "max-age=63072000; includeSubDomains",
    "x-content-type-options": "nosniff",
    "alt-svc": `h3=":${new URL(HOUSE).port}"; ma=86400`,
  });
  expect(headers["content-security-policy"], "the BFF's, once").toMatch(/^default-src 'self'; [^,]+$/);
  expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
});

it("says what it refuses by itself with the same headers", async () => {
  const none = await fetch(`${HOUSE}/a%00b`);
  expect(none.status).toBe(400);
  expect(Object.fromEntries(none.headers)).toMatchObject({
    ...SAFE,
    "strict-transport-security": "max-age=63072000; includeSubDomains",
  });
});

it("speaks HTTP/3 with a browser that wants it", async () => {
  const { host } = new URL(HOUSE);
  // Over QUIC a browser takes no certificate of our own making, unless it is told the key.
  const { publicKey } = new X509Certificate(readFileSync(process.env.NODE_EXTRA_CA_CERTS ?? ""));
  const key = createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("base64");
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-dev-shm-usage",
      "--disable-gpu",
      `--origin-to-force-quic-on=${host}`,
      `--ignore-certificate-errors-spki-list=${key}`,
    ],
  });
  try {
    const page = await browser.newPage();
    await page.goto(`${HOUSE}/robots.txt`);
    const protocol = await page.evaluate(
      () => (performance.getEntriesByType("navigation")[0] as PerformanceNavigationTiming).nextHopProtocol,
    );
    expect(protocol).toBe("h3");
  } finally {
    await browser.close();
  }
});

it("keeps public pictures", async () => {
  const { characters } = await ok("GET", "/api/search?limit=20");
  const { imageUrl } = characters.find(
    ({ imageUrl }: { imageUrl?: string }) => imageUrl && !imageUrl.includes("?"),
  );
  const picture = () => fetch(`${HOUSE}${imageUrl}`);
  const bytes = Buffer.from(await (await picture()).arrayBuffer());
  // Kept beside the first answer, not before it.
  const age = async () => (await picture()).headers.get("age");
  await expect.poll(age, { timeout: PATIENCE_MS, message: "from the cache" }).not.toBeNull();
  const again = await picture();
  expect(again.headers.get("content-type")).toBe("image/webp");
  expect(bytes.equals(Buffer.from(await again.arrayBuffer())), "the same picture").toBe(true);
});

it("keeps the build's files, each coding for itself", async () => {
  const page = await (await fetch(`${HOUSE}/`)).text();
  const file = page.match(/\/assets\/[^"]+\.js/)?.[0] ?? "";
  expect(file).not.toBe("");
  const asked = (coding: string) => fetch(`${HOUSE}${file}`, { headers: { "accept-encoding": coding } });
  const bodies = new Set<string>();
  for (const coding of ["br", "gzip"]) {
    const first = await asked(coding);
    expect(first.headers.get("content-encoding")).toBe(coding);
    bodies.add(await first.text());
    await expect
      .poll(async () => (await asked(coding)).headers.get("age"), {
        timeout: PATIENCE_MS,
        message: `${coding} from the cache`,
      })
      .not.toBeNull();
    const kept = await asked(coding);
    expect(kept.headers.get("content-encoding")).toBe(coding);
    bodies.add(await kept.text());
  }
  expect(bodies.size, "the same file").toBe(1);
});

it("lets a reply through as it is written, and lets it be joined again from any replica", async () => {
  const reader = await join("edgereader");
  const { characters } = await ok("GET", "/api/search?keywords=Vesper%20Lang");
  const character = characters[0]._id;
  const { chatId } = await ok("GET", `/api/chats/${character}/messages`, { token: reader.token });
  const sent = await fetch(`${HOUSE}/api/chats/${chatId}/messages`, {
    method: "POST",
    headers: { ...as(reader), "content-type": "application/json", "idempotency-key": randomUUID() },
    body: JSON.stringify({ content: "Tell me of the lamps, slow and with every detail." }),
  });
  const first = await read(sent, (all) => all.filter(({ event }) => event === "delta").length >= 3);
  const last = first.at(-1) as Happened;
  expect(last.event, "left in the middle").toBe("delta");
  const [generation] = last.id.split(":");

  // As often as it takes to have met both replicas, each time from the same place.
  const rest = await Promise.all(
    [1, 2, 3, 4].map(async () => {
      const again = await fetch(`${HOUSE}/api/chats/${chatId}/generations/${generation}`, {
        headers: { ...as(reader), "last-event-id": last.id },
      });
      return read(again, () => false);
    }),
  );
  const { messages } = await ok("GET", `/api/chats/${character}/messages`, { token: reader.token });
  for (const all of rest) {
    expect(all.at(-1)?.event).toBe("done");
    expect(written(first) + written(all)).toBe(messages.at(-1).content);
    const times = all.map(({ at }) => at);
    expect(Math.max(...times) - Math.min(...times), "in pieces, not at once, ms").toBeGreaterThan(100);
  }
});
