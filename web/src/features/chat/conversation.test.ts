import { describe, expect, it } from "vitest";
import type { Message } from "@/shared/api/types";
import { makeMessage } from "@/test/make";
import {
  appendAt,
  type Conversation,
  type ConversationAction,
  conversationReducer,
  emptyConversation,
  hasEarlier,
  LOCAL_ID,
  nextStep,
} from "./conversation";

const line = (id: string, change: Partial<Message> = {}): Message => makeMessage({ _id: id, ...change });
const greeting = line("greeting", { content: "You're late." });
const own = (id: string, content = "Hello") => line(id, { senderType: "user", content });
const writing = (content = "") => line("reply", { state: "streaming", generationId: "gen", content });

const play = (from: Conversation, ...actions: ConversationAction[]) =>
  actions.reduce(conversationReducer, from);
const opened = play(emptyConversation, { type: "opened", messages: [greeting], generationId: null });
const started = play(
  opened,
  { type: "sending", userMessage: own(LOCAL_ID) },
  { type: "start", generationId: "gen", userMessage: own("mine"), aiMessage: writing(), eventId: "gen:0" },
);
const texts = (now: Conversation) => now.messages.map((m) => m.content);

describe("a path of which only a part is here", () => {
  const path = Array.from({ length: 6 }, (_, at) =>
    line(`m${at}`, { content: `${at}`, parentId: at === 0 ? null : `m${at - 1}` }),
  );
  const show = (messages: Message[]): ConversationAction => ({
    type: "opened",
    messages,
    generationId: null,
  });
  const from = (first: number) => play(emptyConversation, show(path.slice(first)));

  it("keeps what was read when its newest part is told anew", () => {
    const grown = [...path.slice(4), line("m6", { content: "6", parentId: "m5" })];
    expect(texts(play(from(1), show(grown)))).toEqual(["1", "2", "3", "4", "5", "6"]);
    // Also where the new part begins right behind what is here.
    const next = [line("m6", { content: "6", parentId: "m5" })];
    expect(texts(play(from(1), show(next)))).toEqual(["1", "2", "3", "4", "5", "6"]);
  });

  it("follows to another branch, and back to the beginning", () => {
    const fork = [line("x", { content: "x", parentId: "m2" })];
    expect(texts(play(from(1), show(fork)))).toEqual(["1", "2", "x"]);
    const far = [line("y", { content: "y", parentId: "elsewhere" })];
    expect(texts(play(from(1), show(far)))).toEqual(["y"]);
    expect(texts(play(from(3), show(path.slice(0, 1))))).toEqual(["0"]);
  });

  it("takes earlier messages in front, once, and only those that lead to it", () => {
    const earlier = (messages: Message[]): ConversationAction => ({ type: "earlier", messages });
    const whole = play(
      from(3),
      earlier(path.slice(2, 3)),
      earlier(path.slice(0, 3)),
      earlier(path.slice(1, 2)),
    );
    expect(texts(whole)).toEqual(["0", "1", "2", "3", "4", "5"]);
    expect(texts(play(from(3), earlier(path.slice(0, 2))))).toEqual(["3", "4", "5"]);
    expect([from(3), whole].map(({ messages }) => hasEarlier(messages))).toEqual([true, false]);
  });
});

describe("a turn", () => {
  it("shows one's own line at once, and the server's in its place", () => {
    const sending = play(opened, { type: "sending", userMessage: own(LOCAL_ID) });
    expect(texts(sending)).toEqual(["You're late.", "Hello"]);
    expect(sending.live?.phase).toBe("waiting");
    expect(started.messages.map((m) => m._id)).toEqual(["greeting", "mine", "reply"]);
  });

  it("grows piece by piece and ends whole", () => {
    const grown = play(
      started,
      { type: "delta", text: "*She ", eventId: "gen:5" },
      { type: "delta", text: "smiles.*", eventId: "gen:13" },
    );
    expect(texts(grown).at(-1)).toBe("*She smiles.*");
    expect(grown.live).toMatchObject({ phase: "writing", lastEventId: "gen:13" });
    const done = play(grown, { type: "done", aiMessage: line("reply", { content: "*She smiles.*" }) });
    expect(done.live).toBeNull();
    expect(nextStep(done)).toBe("continue");
  });

  it("takes a line back that was not stored", () => {
    const back = play(opened, { type: "sending", userMessage: own(LOCAL_ID) }, { type: "unsent" });
    expect(texts(back)).toEqual(["You're late."]);
    expect(back.live).toBeNull();
  });

  it("keeps the text that was written before a failure, and the server's words for it", () => {
    const aiMessage = line("reply", { content: "*She", state: "failed", reason: "engine_ended_early" });
    const failed = play(
      started,
      { type: "delta", text: "*She", eventId: "gen:4" },
      { type: "error", msg: "It stopped in the middle.", aiMessage },
    );
    expect(failed.messages.at(-1)).toMatchObject({ content: "*She", state: "failed" });
    expect(failed.said.reply).toBe("It stopped in the middle.");
    expect(nextStep(failed)).toBe("continue");
  });

  it("offers another try where nothing was written, and makes way for it", () => {
    const aiMessage = line("reply", { parentId: "mine", state: "failed", reason: "engine_timeout" });
    const failed = play(started, { type: "error", msg: "Slow.", aiMessage });
    expect(nextStep(failed)).toBe("retry");
    const again = play(failed, { type: "sending", userMessage: null });
    expect(again.messages.map((m) => m._id)).toEqual(["greeting", "mine"]);
  });

  it("does not offer to go on from a reply that was held back", () => {
    const refused = line("reply", { content: "Half", state: "refused", reason: "moderated" });
    expect(nextStep(play(started, { type: "done", aiMessage: refused }))).toBeNull();
  });
});

describe("Stop", () => {
  it("is heard twice without ending what came after it", () => {
    const stopped = line("reply", { content: "*She", state: "stopped" });
    const next = play(
      started,
      { type: "stopping" },
      { type: "done", aiMessage: stopped },
      { type: "sending", userMessage: own(LOCAL_ID, "Go on") },
      { type: "done", aiMessage: stopped },
    );
    expect(next.live?.phase).toBe("waiting");
    expect(texts(next)).toEqual(["You're late.", "Hello", "*She", "Go on"]);
  });
});

describe("a reload in the middle of a reply", () => {
  const reloaded = play(emptyConversation, {
    type: "opened",
    messages: [greeting, own("mine"), writing("*She sm")],
    generationId: "gen",
  });

  it("goes on where the history ends, whatever comes again", () => {
    const grown = play(
      reloaded,
      { type: "start", generationId: "gen", userMessage: null, aiMessage: writing(), eventId: "gen:0" },
      { type: "delta", text: "*She ", eventId: "gen:5" },
      { type: "delta", text: "smiles.*", eventId: "gen:13" },
    );
    expect(texts(grown).at(-1)).toBe("*She smiles.*");
  });

  it("waits for a message that the history does not hold yet", () => {
    const bare = play(emptyConversation, { type: "opened", messages: [greeting], generationId: "gen" });
    expect(bare.live).toMatchObject({ generationId: "gen", messageId: null });
    expect(nextStep(bare)).toBeNull();
  });

  it("says so when the connection is gone for good", () => {
    const lost = play(reloaded, { type: "lost" });
    expect(lost.messages.at(-1)).toMatchObject({ content: "*She sm", state: "interrupted" });
    expect(nextStep(lost)).toBe("continue");
  });
});

describe("offsets", () => {
  it("count bytes, so that letters of several bytes are not doubled or cut", () => {
    expect(appendAt("“Grüß", "“Grüß Gott”", 17)).toBe("“Grüß Gott”");
    expect(appendAt("“Grüß Gott”", " Gott”", 17)).toBe("“Grüß Gott”");
  });
  it("are not needed", () => expect(appendAt("a", "b", null)).toBe("ab"));
});

describe("another version", () => {
  const mine = line("mine", { senderType: "user", content: "Hello", parentId: "greeting" });
  const first = line("first", { content: "No.", parentId: "mine" });
  const told = play(emptyConversation, {
    type: "opened",
    messages: [greeting, mine, first],
    generationId: null,
  });

  it("of a reply takes its place", () => {
    const asked = play(told, { type: "sending", userMessage: null, below: "mine" });
    expect(asked.messages.map((m) => m._id)).toEqual(["greeting", "mine"]);
    const aiMessage = line("second", { parentId: "mine", variant: 2, variants: 2, generationId: "gen" });
    const begun = play(asked, { type: "start", generationId: "gen", userMessage: null, aiMessage });
    expect(begun.messages.map((m) => m._id)).toEqual(["greeting", "mine", "second"]);
  });

  it("of one's own line stands in its place at once", () => {
    const asked = play(told, { type: "sending", userMessage: own(LOCAL_ID, "Hi"), below: "greeting" });
    expect(texts(asked)).toEqual(["You're late.", "Hi"]);
  });

  it("that was refused leaves the path as it was", () => {
    const refused = play(
      told,
      { type: "sending", userMessage: own(LOCAL_ID, "Hi"), below: "greeting" },
      { type: "unsent" },
    );
    expect(refused.messages).toEqual(told.messages);
    expect(refused.live).toBeNull();
  });
});

it("does not go on from help lines as from a reply", () => {
  const helped = line("help", { parentId: "mine", content: "You are not alone.", reason: "help_lines" });
  expect(
    nextStep(play(emptyConversation, { type: "opened", messages: [greeting, helped], generationId: null })),
  ).toBeNull();
});
