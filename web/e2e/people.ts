import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { promisify } from "node:util";
import { expect } from "vitest";
import { codeFor, HOUSE, PATIENCE_MS } from "./house";

/** A refusal or an answer of `/api`. */
export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what a route answers is the matter of the test that asks it.
  body: any;
}

export interface Ask {
  token?: string;
  json?: unknown;
  form?: Record<string, string | Blob>;
  headers?: Record<string, string>;
}

/** Asks `/api` as somebody. A stream is left once it has begun. */
export async function ask(method: string, path: string, asked: Ask = {}): Promise<Answer> {
  const headers = new Headers(asked.headers);
  if (asked.token) headers.set("authorization", `Bearer ${asked.token}`);
  let body: string | FormData | undefined;
  if (asked.json !== undefined) {
    headers.set("content-type", "application/json");
    body = JSON.stringify(asked.json);
  } else if (asked.form) {
    body = new FormData();
    for (const [name, value] of Object.entries(asked.form)) body.set(name, value);
  }
  const leave = new AbortController();
  const response = await fetch(`${HOUSE}${path}`, { method, headers, body, signal: leave.signal });
  if (response.headers.get("content-type")?.startsWith("text/event-stream")) {
    leave.abort();
    return { status: response.status, body: undefined };
  }
  const text = await response.text();
  return {
    status: response.status,
    body: response.headers.get("content-type")?.startsWith("application/json") ? JSON.parse(text) : text,
  };
}

/** Asks what must succeed. */
export async function ok(method: string, path: string, asked: Ask = {}): Promise<Answer["body"]> {
  const answer = await ask(method, path, asked);
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
  return answer.body;
}

/** Somebody with an account, and what they know. */
export interface Person {
  id: string;
  username: string;
  email: string;
  password: string;
  token: string;
  /** Of the authenticator app, once there is one. */
  secret?: string;
  recoveryCodes: string[];
}

let born = 0;

/** An account whose address is not verified. */
export async function signUp(name: string): Promise<Person> {
  // Letters alone: names that only look different are refused.
  const stamp = (Date.now() + born++).toString().replace(/\d/g, (d) => "abcdefghkm"[Number(d)] ?? "z");
  const username = `${name}${stamp}`.slice(0, 30);
  const person = {
    id: "",
    username,
    email: `${username}@example.com`,
    password: "Prompt-box-7",
    token: "",
    recoveryCodes: [],
  };
  await ok("POST", "/api/signup", { json: { email: person.email, password: person.password, username } });
  return person;
}

/** Logs in, anew or for the first time. */
export async function logIn(person: Person, otp?: string): Promise<string> {
  const { email, password } = person;
  const body = await ok("POST", "/api/login", {
    json: { email, password, otp, deviceInfo: { timeZone: "Europe/Brussels" } },
  });
  person.id = body.user._id;
  return body.token;
}

/** A verified account, signed in. */
export async function join(name: string): Promise<Person> {
  const person = await signUp(name);
  await ok("POST", "/api/verify", { json: { token: await codeFor(person.email), email: person.email } });
  person.token = await logIn(person);
  return person;
}

/** Buys a plan through the sandbox and waits until it is there. */
export async function subscribe(
  person: Person,
  plan: "premium" | "deluxe",
  period = "monthly",
): Promise<void> {
  const { url } = await ok("POST", "/api/checkout", { token: person.token, json: { plan, period } });
  const paid = await fetch(`${HOUSE}${url}`, {
    method: "POST",
    body: new URLSearchParams({ outcome: "pay" }),
    redirect: "manual",
  });
  expect(paid.status).toBe(303);
  await expect
    .poll(async () => (await ok("GET", "/api/user/me", { token: person.token })).subscriptionPlan, {
      timeout: PATIENCE_MS,
    })
    .toBe(plan);
}

/** The code of an authenticator app (RFC 6238: SHA-1, 30 s, six digits), `ahead` steps from now. */
export function totp(secret: string, ahead = 0): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...secret].map((c) => alphabet.indexOf(c).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + ahead));
  const mac = createHmac("sha1", key).update(counter).digest();
  const at = (mac.at(-1) ?? 0) & 0xf;
  return ((mac.readUInt32BE(at) & 0x7fff_ffff) % 1_000_000).toString().padStart(6, "0");
}

/** Turns the second step on. */
export async function secure(person: Person): Promise<void> {
  const { secret } = await ok("POST", "/api/two-step/begin", {
    token: person.token,
    json: { password: person.password },
  });
  person.secret = secret;
  const confirmed = await ok("POST", "/api/two-step/confirm", {
    token: person.token,
    json: { code: totp(secret) },
  });
  person.recoveryCodes = confirmed.recoveryCodes;
}

/** Runs a command of a service beside the house, as an operator does (`cargo xtask run`). */
export async function operator(...args: string[]): Promise<void> {
  const xtask = process.env.TROUPE_XTASK;
  if (!xtask) throw new Error("TROUPE_XTASK is not set: run the tests by `cargo xtask test --only e2e`");
  await promisify(execFile)(xtask, ["run", "--instance", process.env.TROUPE_INSTANCE ?? "e2e", ...args]);
}

/** A moderator: the second step is on, the role is granted, and the session has taken the step. */
export async function moderator(name: string): Promise<Person> {
  const person = await join(name);
  await secure(person);
  await operator("auth", "grant", "--username", person.username, "--role", "admin");
  person.token = await logIn(person, person.recoveryCodes.pop());
  return person;
}
