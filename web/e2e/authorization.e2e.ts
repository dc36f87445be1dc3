import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { codeFor, PATIENCE_MS } from "./house";
import {
  type Answer,
  type Ask,
  ask,
  join,
  logIn,
  moderator,
  ok,
  type Person,
  signUp,
  subscribe,
  totp,
} from "./people";
import { makePng } from "./png";

/** Walks `bff/authorization.txt` from the top down: each route, as each kind of caller. */
const LIST = readFileSync(new URL("../../bff/authorization.txt", import.meta.url), "utf8");
const ROLES = [
  "visitor",
  "unverified",
  "free",
  "premium",
  "deluxe",
  "owner",
  "other",
  "suspended",
  "admin",
] as const;
type Role = (typeof ROLES)[number];

interface Row {
  route: string;
  expected: number[];
}

const rows: Row[] = LIST.split("\n")
  .filter((line) => line.trim() && !line.startsWith("#") && !line.startsWith("method"))
  .map((line) => {
    const words = line.split(/\s+/);
    const statuses = words.slice(-ROLES.length).map(Number);
    return { route: words.slice(0, -ROLES.length).join(" "), expected: statuses };
  });

/** Everybody with an account; a visitor has none. */
let cast: Record<Exclude<Role, "visitor">, Person>;
/** What the routes are asked about. */
const stage = {
  public: "",
  private: "",
  privateChat: "",
  said: "",
  reply: "",
  generation: "",
  image: "",
  memory: "",
  lorebook: "",
  preset: "",
  device: "",
  withdrawal: "",
  report: "",
  reportId: "",
  appealedId: "",
  victim: "",
};
const chats = new Map<Role, string>();

const png = () => new Blob([new Uint8Array(makePng(64, 96))], { type: "image/png" });
const card = (name: string, open: boolean) => ({
  name,
  age: "34",
  tags: JSON.stringify(["royalty"]),
  description: "Keeps the keys of an old theatre.",
  firstMessage: "You found the side door.",
  public: String(open),
  image: png(),
});

/** A character card of version 2. */
const cardFile = (name: string) => {
  const data = {
    name,
    description: "Keeps the keys of an old theatre.",
    personality: "",
    scenario: "",
    first_mes: "You found the side door.",
    mes_example: "",
    extensions: {},
  };
  const whole = { spec: "chara_card_v2", spec_version: "2.0", data };
  return new Blob([JSON.stringify(whole)], { type: "application/json" });
};
/** A chat as SillyTavern keeps it. */
const transcript = () =>
  new Blob([
    `${JSON.stringify({ user_name: "Robin", character_name: "Open Door" })}\n`,
    `${JSON.stringify({ name: "Open Door", is_user: false, mes: "You found the side door." })}\n`,
  ]);

const text = "This is about an end-to-end test.";

/** People of every kind, and what the routes are asked about. */
async function setTheStage(): Promise<void> {
  const admin = await moderator("admin");
  const [free, premium, deluxe, owner, other, suspended, unverified] = await Promise.all([
    join("free"),
    join("premium"),
    join("deluxe"),
    join("owner"),
    join("other"),
    join("suspended"),
    signUp("unverified"),
  ]);
  await Promise.all([
    subscribe(premium, "premium"),
    subscribe(deluxe, "deluxe"),
    subscribe(owner, "premium"),
    subscribe(other, "premium"),
  ]);
  cast = { unverified, free, premium, deluxe, owner, other, suspended, admin };
  await ok("POST", `/api/admin/users/${suspended.id}/suspend`, {
    token: admin.token,
    json: { reason: "An end-to-end test." },
  });
  await expect
    .poll(async () => (await ask("GET", "/api/chats", { token: suspended.token })).status, {
      timeout: PATIENCE_MS,
    })
    .toBe(401);

  const make = async (name: string, open: boolean) =>
    (await ok("POST", "/api/create", { token: owner.token, form: card(name, open) })).character._id;
  stage.public = await make("Open Door", true);
  stage.private = await make("Closed Door", false);
  const chat = await ok("GET", `/api/chats/${stage.private}/messages`, { token: owner.token });
  stage.privateChat = chat.chatId;
  const turn = await ok("POST", `/api/chats/${chat.chatId}/messages`, {
    token: owner.token,
    json: { content: "Who is there?" },
  });
  stage.generation = turn.aiMessage.generationId;
  const queued = await ok("POST", "/api/images/create", { token: owner.token, json: { label: "The hall" } });
  stage.image = queued.image._id;
  await expect
    .poll(async () => (await ok("GET", `/api/images/${stage.image}`, { token: owner.token })).image.state, {
      timeout: PATIENCE_MS,
    })
    .toBe("completed");
  stage.reply = turn.aiMessage._id;
  const preset = { label: "Owner's own", values: { temperature: 0.8 } };
  stage.preset = (await ok("POST", "/api/sampling/presets", { token: owner.token, json: preset })).preset._id;
  stage.said = turn.userMessage._id;
  const second = await logIn(owner);
  const { devices } = await ok("GET", "/api/devices", { token: second });
  stage.device = devices.find((d: { current: boolean }) => d.current).id;
  stage.victim = (await join("victim")).id;
  const file = async (reason: string) =>
    (
      await ok("POST", "/api/reports", {
        token: free.token,
        json: { subjectKind: "character", subjectId: stage.public, reason, text: "The same card ten times." },
      })
    ).report.number;
  stage.report = await file("spam");
  const appealed = await file("other");
  const queue = await ok("GET", "/api/admin/reports?limit=100", { token: admin.token });
  const caseOf = (number: string) => queue.reports.find((r: { number: string }) => r.number === number)._id;
  stage.reportId = caseOf(stage.report);
  stage.appealedId = caseOf(appealed);
  // Who has decided a report does not decide the appeal against it.
  const another = await moderator("moderator");
  await ok("POST", `/api/admin/reports/${stage.appealedId}/decide`, {
    token: another.token,
    json: { decision: "none", reasons: "Nothing is wrong with it." },
  });
  await ok("POST", `/api/reports/${appealed}/appeal`, { json: { text } });
}

interface Asked extends Ask {
  /** In place of the placeholders of the route. */
  path?: string;
}

const on = (path: string, json?: unknown): Asked => ({ path, json });
/** What everybody sets in place of their password. */
const NEXT_PASSWORD = "Trapdoor8";
/** Somebody whom nobody else is asked about. */
const nobody = { email: "nobody@example.com", password: "Wrong-box-7" };
const who = (role: Role): Person | undefined => (role === "visitor" ? undefined : cast[role]);

/** A well-formed request for each route that needs more than its path. */
const requests: Record<string, (role: Role) => Asked | Promise<Asked>> = {
  "POST /api/signup": (role) => {
    const name = `${role}x${Date.now()
      .toString()
      .replace(/\d/g, (d) => "abcdefghkm"[Number(d)] ?? "z")}`;
    return { json: { email: `${name}@example.com`, password: "Prompt-box-7", username: name } };
  },
  "POST /api/verify": async () => {
    const fresh = await signUp("verify");
    return { json: { token: await codeFor(fresh.email), email: fresh.email } };
  },
  "POST /api/verify/resend": () => ({ json: { email: nobody.email } }),
  "POST /api/login": (role) => {
    const person = who(role);
    if (!person) return { json: nobody };
    return { json: { email: person.email, password: person.password, otp: person.recoveryCodes.pop() } };
  },
  "POST /api/login #without-second-step": (role) => {
    const person = who(role);
    return { json: person ? { email: person.email, password: person.password } : nobody };
  },
  "POST /api/forgot-password": () => ({ json: { email: nobody.email } }),
  "POST /api/reset-password #wrong-token": () => ({
    json: { password: "Prompt-box-8", token: "not-a-token" },
  }),
  "GET /api/user/{username}": () => on(`/api/user/${cast.owner.username}`),
  "POST /api/user/update": () => ({ form: { bio: "Keeps the keys." } }),
  "POST /api/user/preferences": () => ({ json: { ageConfirmed: true } }),
  "POST /api/personas/update": () => ({
    json: { personas: [{ id: "1", name: "Robin", description: "", gender: "other", default: true }] },
  }),
  "POST /api/user/{id}/follow": () => on(`/api/user/${cast.owner.id}/follow`),
  "GET /api/user/{id}/followers": () => on(`/api/user/${cast.owner.id}/followers`),
  "GET /api/user/{id}/following": () => on(`/api/user/${cast.owner.id}/following`),
  "POST /api/notifications/read": () => ({ json: {} }),
  "GET /api/characters/tag/{tag}": () => on("/api/characters/tag/royalty"),
  "GET /api/characters/tag/me #of-a-creator": () => on(`/api/characters/tag/me?creator=${cast.owner.id}`),
  "POST /api/blocks": () => ({ json: { kind: "tag", target: "politics", on: true } }),
  "GET /api/character/{id} #public": () => on(`/api/character/${stage.public}`),
  "GET /api/character/{id} #private": () => on(`/api/character/${stage.private}`),
  "POST /api/character/{id}/react": () =>
    on(`/api/character/${stage.public}/react`, { reactionType: "like" }),
  "POST /api/character/{id}/react #private": () =>
    on(`/api/character/${stage.private}/react`, { reactionType: "like" }),
  "POST /api/character/{id}/follow": () => on(`/api/character/${stage.public}/follow`),
  "POST /api/character/{id}/review": () =>
    on(`/api/character/${stage.public}/review`, { comment: "Good company.", rating: 4 }),
  "GET /api/character/{id}/reviews": () => on(`/api/character/${stage.public}/reviews`),
  "GET /api/character/{id}/reviews #private": () => on(`/api/character/${stage.private}/reviews`),
  "DELETE /api/character/{id}/review": () => on(`/api/character/${stage.public}/review`),
  "POST /api/create": () => ({ form: card("Another Door", false) }),
  "PUT /api/characters/{id}": () => ({
    path: `/api/characters/${stage.private}`,
    form: card("Closed Door", false),
  }),
  "DELETE /api/characters/{id}": () => on(`/api/characters/${stage.private}`),
  "POST /api/characters/{id}/restore": () => on(`/api/characters/${stage.private}/restore`),
  "POST /api/cards/read": () => ({ form: { file: cardFile("Card Door") } }),
  "POST /api/cards/import": () => ({ form: { file: cardFile("Card Door"), picture: png() } }),
  "GET /api/cards/{id}/export #not-exportable": () => on(`/api/cards/${stage.public}/export?format=json`),
  "GET /api/cards/{id}/export #private": () => on(`/api/cards/${stage.private}/export?format=json`),
  "GET /api/images/{id}": () => on(`/api/images/${stage.image}`),
  "PUT /api/images/{id}": () => on(`/api/images/${stage.image}`, { label: "The long hall" }),
  "GET /api/images/{id}/download": () => on(`/api/images/${stage.image}/download`),
  "POST /api/images/{id}/cancel": () => on(`/api/images/${stage.image}/cancel`),
  "POST /api/images/{id}/portrait": () =>
    on(`/api/images/${stage.image}/portrait`, { characterId: stage.private }),
  "DELETE /api/images/{id}": () => on(`/api/images/${stage.image}`),
  "POST /api/images/{id}/restore": () => on(`/api/images/${stage.image}/restore`),
  "POST /api/admin/images/{asset} #unknown": () =>
    on(`/api/admin/images/${"0".repeat(32)}`, { decision: "pass" }),
  "POST /api/images/create": () => ({
    json: { gender: "female", age: "30s", style: "anime", label: "Test" },
  }),
  "GET /api/chats/{id}/messages": () => on(`/api/chats/${stage.public}/messages`),
  "GET /api/chats/{id}/messages #private-character": () => on(`/api/chats/${stage.private}/messages`),
  "POST /api/chats/{id}/messages #own-chat": (role) =>
    on(`/api/chats/${chats.get(role) ?? stage.privateChat}/messages`, { content: "Good evening." }),
  "POST /api/chats/{id}/messages": () =>
    on(`/api/chats/${stage.privateChat}/messages`, { content: "And now?" }),
  "GET /api/chats/{id}/generations/{generation}": () =>
    on(`/api/chats/${stage.privateChat}/generations/${stage.generation}`),
  "DELETE /api/chats/{id}/generations/{generation}": () =>
    on(`/api/chats/${stage.privateChat}/generations/${stage.generation}`),
  "GET /api/chats/{id}/messages/{message}/manifest": () =>
    on(`/api/chats/${stage.privateChat}/messages/${stage.reply}/manifest`),
  "GET /api/chats/{id}/prompt": () => on(`/api/chats/${stage.privateChat}/prompt`),
  "GET /api/memories": () => on(`/api/memories?characterId=${stage.public}`),
  "GET /api/chats/{id}/memories": () => on(`/api/chats/${stage.privateChat}/memories`),
  "POST /api/chats/{id}/memories": () =>
    on(`/api/chats/${stage.privateChat}/memories`, { text: "The key hangs behind the mirror." }),
  "PUT /api/memories/{id}": () => on(`/api/memories/${stage.memory}`, { pinned: true }),
  "DELETE /api/memories/{id}": () => on(`/api/memories/${stage.memory}`),
  "POST /api/lorebooks": () => ({ json: { name: "The house" } }),
  "GET /api/lorebooks/{id}": () => on(`/api/lorebooks/${stage.lorebook}`),
  "PUT /api/lorebooks/{id}": () => on(`/api/lorebooks/${stage.lorebook}`, { name: "The old house" }),
  "DELETE /api/lorebooks/{id}": () => on(`/api/lorebooks/${stage.lorebook}`),
  "POST /api/sampling/presets": () => ({ json: { label: "Dry", values: { minP: 0.05 } } }),
  "DELETE /api/sampling/presets/{id}": () => on(`/api/sampling/presets/${stage.preset}`),
  "GET /api/chats/{id}/sampling": () => on(`/api/chats/${stage.privateChat}/sampling`),
  "PUT /api/chats/{id}/sampling #own-chat": (role) =>
    on(`/api/chats/${chats.get(role) ?? stage.privateChat}/sampling`, { preset: "precise", values: {} }),
  "PUT /api/chats/{id}/sampling": () =>
    on(`/api/chats/${stage.privateChat}/sampling`, { preset: "creative", values: {} }),
  "POST /api/chats": () => ({ json: { characterId: stage.public } }),
  "GET /api/chats/search": () => on("/api/chats/search?q=evening"),
  "POST /api/chats/import": () => ({ form: { characterId: stage.public, file: transcript() } }),
  "POST /api/chats/{id}/messages/{message}/regenerate": () =>
    on(`/api/chats/${stage.privateChat}/messages/${stage.reply}/regenerate`, {}),
  "PUT /api/chats/{id}/messages/{message}": () =>
    on(`/api/chats/${stage.privateChat}/messages/${stage.said}`, { content: "Is anybody there?" }),
  "PUT /api/chats/{id}/leaf": () => on(`/api/chats/${stage.privateChat}/leaf`, { messageId: stage.reply }),
  "GET /api/chats/{id}/tree": () => on(`/api/chats/${stage.privateChat}/tree`),
  "GET /api/chats/{id}/export": () => on(`/api/chats/${stage.privateChat}/export?format=sillytavern`),
  "POST /api/chats/{id}/fork": () => on(`/api/chats/${stage.privateChat}/fork`, { messageId: stage.reply }),
  "DELETE /api/chats/{id}/messages/{message}": () =>
    on(`/api/chats/${stage.privateChat}/messages/${stage.reply}`),
  "POST /api/chats/{id}/messages/{message}/restore": () =>
    on(`/api/chats/${stage.privateChat}/messages/${stage.reply}/restore`),
  "POST /api/chats/{id}/clear": () => on(`/api/chats/${stage.privateChat}/clear`),
  "POST /api/chats/{id}/clear/undo": () => on(`/api/chats/${stage.privateChat}/clear/undo`),
  "PUT /api/chats/{id}": () => on(`/api/chats/${stage.privateChat}`, { title: "The side door" }),
  "DELETE /api/chats/{id}": () => on(`/api/chats/${stage.privateChat}`),
  "POST /api/chats/{id}/restore": () => on(`/api/chats/${stage.privateChat}/restore`),
  "POST /api/complaint": () => ({
    json: { kind: "complaint", name: "Robin", email: "robin@example.com", subject: "the footer", text },
  }),
  "POST /api/complaint/intimate-image": () => ({
    form: { name: "Robin", email: "robin@example.com", subject: "a picture", text, image: png() },
  }),
  "POST /api/reports": () => ({
    json: { subjectKind: "user", subjectId: cast.deluxe.id, reason: "other", text },
  }),
  "GET /api/reports/{number}": () => on(`/api/reports/${stage.report}`),
  "POST /api/reports/{number}/appeal #undecided": () => on(`/api/reports/${stage.report}/appeal`, { text }),
  "POST /api/admin/reports/{id}/decide": () =>
    on(`/api/admin/reports/${stage.reportId}/decide`, {
      decision: "none",
      reasons: "Nothing is wrong with it.",
    }),
  "POST /api/admin/reports/{id}/appeal": () =>
    on(`/api/admin/reports/${stage.appealedId}/appeal`, { granted: false, reasons: "It stands as decided." }),
  "POST /api/admin/users/{id}/suspend": () =>
    on(`/api/admin/users/${stage.victim}/suspend`, { reason: text }),
  "POST /api/admin/users/{id}/reinstate": () => on(`/api/admin/users/${stage.victim}/reinstate`),
  "GET /api/admin/held/{id} #not-held": () => on(`/api/admin/held/${stage.public}`),
  "POST /api/admin/held/{id} #not-held": () =>
    on(`/api/admin/held/${stage.public}`, { decision: "approve", reasons: text, digest: "0".repeat(64) }),
  "POST /api/checkout #deluxe": () => ({ json: { plan: "deluxe", period: "monthly" } }),
  "POST /api/user/change-plan #deluxe": () => ({ json: { plan: "deluxe", period: "monthly" } }),
  "POST /api/user/withdrawal/{id}": () => on(`/api/user/withdrawal/${stage.withdrawal}`),
  "POST /api/devices/{id}/sign-out": (role) =>
    on(`/api/devices/${stage.device}/sign-out`, { password: who(role)?.password }),
  "POST /api/two-step/begin": (role) => ({ json: { password: who(role)?.password } }),
  "POST /api/two-step/confirm": (role) => ({ json: { code: totp(who(role)?.secret ?? "") } }),
  // The code of this step was used a moment ago; the next one is taken as well.
  "POST /api/two-step/recovery-codes": (role) => ({ json: { code: totp(who(role)?.secret ?? "", 1) } }),
  "POST /api/two-step/end": (role) => ({
    json: { password: who(role)?.password, code: who(role)?.recoveryCodes.pop() ?? "000000" },
  }),
  "POST /api/account/deletion": (role) => ({ json: { password: who(role)?.password, characters: "remove" } }),
  "POST /api/user/update-password": (role) => ({
    json: { currentPassword: who(role)?.password, newPassword: NEXT_PASSWORD },
  }),
  "POST /api/devices/sign-out": (role) => ({ json: { password: who(role)?.password } }),
};

/** What later rows need of an answer. */
function learn(route: string, role: Role, { status, body }: Answer): void {
  const person = who(role);
  if (status >= 300 || !person) return;
  if (route === "GET /api/chats/{id}/messages") chats.set(role, body.chatId);
  if (route === "POST /api/chats/{id}/memories" && role === "owner") stage.memory = body.memory._id;
  if (route === "POST /api/lorebooks" && role === "owner") stage.lorebook = body.lorebook._id;
  if (route === "POST /api/session/renew") person.token = body.token;
  if (route === "POST /api/user/withdrawal" && role === "owner") stage.withdrawal = body.withdrawalId;
  if (route === "POST /api/two-step/begin") person.secret = body.secret;
  if (route === "POST /api/user/update-password") person.password = NEXT_PASSWORD;
  if (body?.recoveryCodes) person.recoveryCodes = body.recoveryCodes;
}

describe("who gets what", () => {
  it("with people of every kind", setTheStage, 120_000);

  for (const { route, expected } of rows) {
    it(route, async () => {
      const [method = "", address = ""] = route.split(" ");
      const found: Record<string, unknown> = {};
      const wanted: Record<string, unknown> = {};
      for (const [at, role] of ROLES.entries()) {
        const { path = address, ...asked } = (await requests[route]?.(role)) ?? {};
        const token = asked.token ?? (who(role)?.token || undefined);
        const answer = await ask(method, path, { ...asked, token });
        learn(route, role, answer);
        wanted[role] = expected[at];
        found[role] =
          answer.status === expected[at] ? answer.status : `${answer.status} ${JSON.stringify(answer.body)}`;
      }
      expect(found).toEqual(wanted);
    });
  }
});
