import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readToken, writeToken } from "@/shared/api/token";
import type { ChatPage, Message } from "@/shared/api/types";
import { emit } from "@/shared/hints";
import { speak } from "@/shared/i18n";
import { useRoot } from "@/shared/store";
import { useToasts } from "@/shared/toast";
import { makeCard, makeMessage, makeUser } from "@/test/make";
import { type Call, renderPage, serve } from "@/test/page";
import Chat from "./Chat";

const greeting = makeMessage({
  _id: "g1",
  content: "You're late.",
  variants: 2,
  siblings: ["g1", "g2"],
});
const other = makeMessage({ ...greeting, _id: "g2", content: "You're early.", variant: 2 });
const mine = makeMessage({ _id: "u1", content: "Sorry.", senderType: "user", parentId: "g1" });
const replies = ["No.", "Sit.", "Hush."].map((content, at) =>
  makeMessage({
    _id: `r${at + 1}`,
    content,
    parentId: "u1",
    generationId: `gen${at + 1}`,
    variant: at + 1,
    variants: 3,
    siblings: ["r1", "r2", "r3"],
  }),
);
const reply = (n: 1 | 2 | 3) => replies[n - 1] as Message;

const page = (messages: Message[], change: Partial<ChatPage> = {}): ChatPage => ({
  chatId: "chat",
  title: null,
  messages,
  running: null,
  usage: { used: 1884, limit: 5000, pathMessages: 3, freeLimit: null },
  character: { ...makeCard({ name: "Isolde Marchetti" }), scenario: "" },
  engine: { name: "improv", offline: true },
  aiNotice: null,
  hasEarlier: false,
  clearUndoUntil: null,
  ...change,
});

/** A stream of server-sent events; `open`: it does not end. */
function events(list: [string, unknown][], open = false): Response {
  const text = list.map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join("");
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      if (!open) controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}
const refuse = (status: number, code: string, msg: string) =>
  new Response(JSON.stringify({ success: false, code, msg }), { status });

async function open(
  messages: Message[],
  routes: Record<string, (call: Call) => unknown> = {},
  { address = "/character/c1/chat", ...change }: Partial<ChatPage> & { address?: string } = {},
) {
  useRoot.setState({ loggedIn: true, userData: makeUser({ subscriptionStatus: "active" }) });
  const calls = serve({
    "GET chats/c1/messages": () => page(messages, change),
    "GET chats": () => [],
    "GET chats/chat/memories": () => ({ memories: [] }),
    ...routes,
  });
  const user = userEvent.setup();
  renderPage(<Chat />, "/character/:id/chat", address);
  await screen.findAllByTestId("character-turn");
  return { user, calls, asked: (call: string) => calls.filter((c) => `${c.method} ${c.path}` === call) };
}
const turns = () => screen.getAllByTestId("character-turn");
const newest = () => within(turns().at(-1) as HTMLElement);
const toasts = () => useToasts.getState().toasts;

afterEach(() => vi.unstubAllGlobals());

it("leafs through the versions of a reply, and keeps the keyboard where it is", async () => {
  const { user, asked } = await open([greeting, mine, reply(2)], {
    "PUT chats/chat/leaf": ({ body }) => ({
      messages: [greeting, mine, replies.find((r) => r._id === (body as { messageId: string }).messageId)],
    }),
  });
  await user.click(newest().getByRole("button", { name: "Next version" }));
  expect(await newest().findByText("Hush.")).toBeTruthy();
  expect(asked("PUT chats/chat/leaf")[0]?.body).toEqual({ messageId: "r3" });

  const turn = turns().at(-1) as HTMLElement;
  turn.focus();
  await user.keyboard("{ArrowLeft}");
  expect(await newest().findByText("Sit.")).toBeTruthy();
  await user.keyboard("{ArrowLeft}");
  expect(await newest().findByText("No.")).toBeTruthy();
  expect(document.activeElement).toBe(turn);
});

describe("the way out of the session", () => {
  const stay = () => open([greeting], { "POST logout": () => ({ success: true }) });
  async function isTaken({ asked }: Awaited<ReturnType<typeof stay>>) {
    expect((await screen.findByTestId("elsewhere")).textContent).toContain("/login");
    expect(asked("POST logout")).toHaveLength(1);
    expect([readToken(), useRoot.getState().loggedIn]).toEqual([null, false]);
  }
  beforeEach(() => writeToken("a.b.c"));

  it("leads out of the session from the rail", async () => {
    const chat = await stay();
    await chat.user.click(within(screen.getByRole("navigation")).getByRole("button", { name: "Sign Out" }));
    await isTaken(chat);
  });

  it("leads out of the session from the tools, where there is no rail", async () => {
    const chat = await stay();
    await chat.user.click(screen.getByRole("button", { name: "Chat tools" }));
    await chat.user.click(screen.getByRole("menuitem", { name: "Sign Out" }));
    await isTaken(chat);
  });
});

it("switches the greeting", async () => {
  const { user } = await open([greeting], { "PUT chats/chat/leaf": () => ({ messages: [other] }) });
  // The greeting is typed out first.
  await user.click(await newest().findByRole("button", { name: "Next version" }, { timeout: 3000 }));
  await waitFor(() => expect(turns()[0]?.dataset.message).toBe("g2"));
});

it("writes another version beyond the last, and says why nothing else can be done meanwhile", async () => {
  const next = makeMessage({
    ...reply(3),
    _id: "r4",
    content: "",
    state: "streaming",
    variant: 4,
    variants: 4,
  });
  const { user, asked } = await open([greeting, mine, reply(3)], {
    "POST chats/chat/messages/r3/regenerate": () =>
      events([["start", { generationId: "gen4", userMessage: null, aiMessage: next }]], true),
  });
  await user.click(newest().getByRole("button", { name: "Write another version" }));
  expect(asked("POST chats/chat/messages/r3/regenerate")).toHaveLength(1);
  expect(screen.queryByText("Hush.")).toBeNull();
  expect(newest().getByRole("status", { name: "Isolde is typing" })).toBeTruthy();

  const back = within(turns()[0] as HTMLElement).getByRole("button", { name: /Next version/ });
  expect(back.getAttribute("aria-disabled")).toBe("true");
  expect(back.title).toContain("Not while a reply is being written.");
});

it("shows the old version again when another is refused", async () => {
  const { user } = await open([greeting, mine, reply(3)], {
    "POST chats/chat/messages/r3/regenerate": () =>
      refuse(409, "too_many_variants", "A message has at most 20 versions."),
  });
  await user.click(newest().getByRole("button", { name: "Write it again" }));
  expect(await newest().findByText("Hush.")).toBeTruthy();
  expect(toasts()[0]?.text).toBe("A message has at most 20 versions.");
});

it("changes one's own line in place, with a reply or without", async () => {
  const edited = makeMessage({ ...mine, _id: "u2", content: "Sorry!", edited: true });
  const answer = makeMessage({ ...reply(1), _id: "r9", parentId: "u2", variants: 1, siblings: ["r9"] });
  const { user, asked } = await open([greeting, mine, reply(1)], {
    "PUT chats/chat/messages/u1": ({ body }) =>
      (body as { reply?: boolean }).reply
        ? events([
            ["start", { generationId: "g9", userMessage: edited, aiMessage: { ...answer, content: "" } }],
            ["delta", { text: "Better." }],
            ["done", { aiMessage: { ...answer, content: "Better." } }],
          ])
        : { message: edited, messages: [greeting, edited] },
  });
  const own = within(screen.getByTestId("own-turn"));
  await user.click(own.getByRole("button", { name: "Edit" }));
  const field = own.getByRole("textbox", { name: "Edit your line" });
  expect(document.activeElement).toBe(field);
  await user.keyboard("{Escape}");
  expect(screen.queryByRole("button", { name: "Save and reply" })).toBeNull();

  await user.click(own.getByRole("button", { name: "Edit" }));
  await user.type(own.getByRole("textbox", { name: "Edit your line" }), "{Backspace}!");
  await user.click(own.getByRole("button", { name: "Save and reply" }));
  expect(await newest().findByText(/Better/)).toBeTruthy();
  expect(asked("PUT chats/chat/messages/u1")[0]?.body).toMatchObject({ content: "Sorry!", reply: true });
  expect(screen.getByTestId("own-turn").textContent).toContain("Sorry!");
  // And is read out.
  expect(screen.getByRole("log", { name: "Replies" }).textContent).toContain("Isolde: Better.");
});

it("keeps the words of an edit that was not taken", async () => {
  const { user } = await open([greeting, mine, reply(1)], {
    "PUT chats/chat/messages/u1": () => refuse(422, "refused", "Not here."),
  });
  await user.click(within(screen.getByTestId("own-turn")).getByRole("button", { name: "Edit" }));
  await user.type(screen.getByDisplayValue("Sorry."), " Truly.");
  await user.click(screen.getByRole("button", { name: "Save and reply" }));
  expect(await screen.findByDisplayValue("Sorry. Truly.")).toBeTruthy();
  expect(toasts()[0]?.text).toBe("Not here.");
});

it("deletes from a message on, and brings it back", async () => {
  const { user, asked } = await open([greeting, mine, reply(1)], {
    "DELETE chats/chat/messages/u1": () => ({ deleted: 2, messages: [greeting] }),
    "POST chats/chat/messages/u1/restore": () => ({ messages: [greeting, mine, reply(1)] }),
  });
  await user.click(within(screen.getByTestId("own-turn")).getByRole("button", { name: /More/ }));
  await user.click(await screen.findByRole("menuitem", { name: "Delete from here on" }));
  await waitFor(() => expect(toasts()[0]?.text).toBe("2 messages deleted"));
  expect(screen.queryByTestId("own-turn")).toBeNull();
  toasts()[0]?.action?.run();
  expect(await screen.findByTestId("own-turn")).toBeTruthy();
  expect(asked("POST chats/chat/messages/u1/restore")).toHaveLength(1);
});

it("forks into a chat of its own", async () => {
  const { user, calls } = await open([greeting, mine, reply(1)], {
    "POST chats/chat/fork": () => ({ chatId: "forked", characterId: "c1", title: "Fork of Isolde" }),
  });
  await user.click(newest().getByRole("button", { name: "Fork the chat from here" }));
  await waitFor(() => expect(calls.some((c) => c.query.get("chat") === "forked")).toBe(true));
});

it("opens at a message of another branch", async () => {
  const { asked } = await open(
    [greeting, mine, reply(1)],
    { "PUT chats/chat/leaf": () => ({ messages: [greeting, mine, reply(3)] }) },
    { address: "/character/c1/chat?chat=chat&at=r3" },
  );
  await waitFor(() => expect(document.activeElement).toBe(turns().at(-1)));
  expect(newest().getByText("Hush.")).toBeTruthy();
  expect(asked("PUT chats/chat/leaf")[0]?.body).toEqual({ messageId: "r3" });
});

/** A chat of so many messages, of which the server gives what is asked for. */
const longChat = (length: number) => {
  const path = Array.from({ length }, (_, at) =>
    makeMessage({
      _id: `m${at}`,
      content: `Line ${at}.`,
      parentId: at === 0 ? null : `m${at - 1}`,
      senderType: at % 2 === 0 ? "character" : "user",
    }),
  );
  const give = ({ query }: Call) => {
    const before = query.get("before");
    const end = before === null ? path.length : path.findIndex(({ _id }) => _id === before);
    return page(path.slice(Math.max(0, end - Number(query.get("limit"))), end));
  };
  return { path, give };
};

describe("a long chat", () => {
  // Without a layout nothing has a height, and a list that shows what is in view shows nothing.
  beforeEach(() => {
    vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(800);
    vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(100);
    Element.prototype.scrollTo = function scrollTo(this: Element, to?: ScrollToOptions | number) {
      this.scrollTop = typeof to === "object" ? (to.top ?? 0) : 0;
      this.dispatchEvent(new Event("scroll"));
    };
  });
  afterEach(() => vi.restoreAllMocks());

  const scrollUp = () => {
    const lines = screen.getByRole("log", { name: "Conversation" });
    lines.scrollTop = 0;
    fireEvent.scroll(lines);
  };
  const theWay = () => screen.queryByRole("button", { name: "Earlier messages" });

  it("opens with its newest part, and fetches what was said before as the reader comes near", async () => {
    const { path, give } = longChat(170);
    const { asked } = await open(path.slice(-50), { "GET chats/c1/messages": give });
    const calls = () => asked("GET chats/c1/messages").map(({ query }) => query.get("before"));
    await waitFor(() => {
      scrollUp();
      expect(calls()).toEqual([null, "m120", "m20"]);
    });
    await waitFor(() => expect(theWay()).toBeNull());
  });

  it("says when the earlier messages did not come, and lets one ask again", async () => {
    const { path, give } = longChat(80);
    let down = true;
    const { user } = await open(path.slice(-50), {
      "GET chats/c1/messages": (call) =>
        down && call.query.has("before") ? refuse(500, "internal", "Not now.") : give(call),
    });
    scrollUp();
    await waitFor(() => expect(toasts()[0]?.text).toBe("Not now."));
    down = false;
    await user.click(theWay() as HTMLElement);
    await waitFor(() => expect(theWay()).toBeNull());
  });

  it("leads to a message that is not there yet, without leaving the branch", async () => {
    const { path, give } = longChat(700);
    const { asked } = await open(
      path.slice(-50),
      { "GET chats/c1/messages": give },
      { address: "/character/c1/chat?chat=chat&at=m10" },
    );
    expect(await screen.findByText("Line 10.")).toBeTruthy();
    expect(asked("PUT chats/chat/leaf")).toHaveLength(0);
  });

  it("finds words that were said long ago", async () => {
    const { path, give } = longChat(400);
    const { user } = await open(path.slice(-50), { "GET chats/c1/messages": give });
    await user.click(screen.getByRole("button", { name: "Chat tools" }));
    await user.click(await screen.findByRole("menuitem", { name: "Find in this chat" }));
    await user.type(screen.getByRole("textbox", { name: "Find in this chat" }), "line 7.");
    expect(await screen.findByText("1 of 1")).toBeTruthy();
  });
});

it("shows help lines as what they are, with nothing to go on to", async () => {
  const help = makeMessage({
    _id: "h1",
    parentId: "u1",
    content: "You are not alone.\n\nSamaritans: 116 123\n\nThe conversation waits for you.",
    reason: "help_lines",
    generationId: "gh",
  });
  await open([greeting, mine, help]);
  const card = within(screen.getByRole("region", { name: "Somebody to talk to" }));
  expect(card.getByRole("link", { name: "116 123" }).getAttribute("href")).toBe("tel:116123");
  expect(screen.queryByRole("button", { name: "Continue" })).toBeNull();
  expect(newest().queryByRole("button", { name: "Write it again" })).toBeNull();
});

it("clears, and brings back what was cleared", async () => {
  const { user } = await open([greeting, mine, reply(1)], {
    "POST chats/chat/clear": () => ({
      firstMessage: greeting,
      messages: [greeting],
      undoUntil: new Date(Date.now() + 86_400_000).toISOString(),
    }),
    "POST chats/chat/clear/undo": () => ({ messages: [greeting, mine, reply(1)] }),
  });
  await user.click(screen.getByRole("button", { name: "Chat tools" }));
  await user.click(await screen.findByRole("menuitem", { name: "Clear Chat" }));
  await user.click(screen.getByRole("button", { name: "Clear Chat" }));
  await waitFor(() => expect(toasts()[0]?.text).toBe("Chat cleared successfully"));
  toasts()[0]?.action?.run();
  expect(await screen.findByTestId("own-turn")).toBeTruthy();
});

it("keeps the notice of an AI until it is dismissed, for this chat", async () => {
  const { user } = await open([greeting], {}, { aiNotice: "Isolde is an AI character, not a person." });
  expect(screen.getByText(/Isolde Marchetti is an AI character, not a person/)).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Understood" }));
  expect(screen.queryByRole("button", { name: "Understood" })).toBeNull();
  expect(useRoot.getState().noticed).toEqual(["chat"]);
});

it("shows what was changed elsewhere, once somebody looks at it again", async () => {
  let path = [greeting];
  await open([greeting], { "GET chats/c1/messages": () => page(path) });
  path = [greeting, mine, reply(1)];
  globalThis.dispatchEvent(new Event("focus"));
  expect(await screen.findByText("No.")).toBeTruthy();
});

it("shows what was said in another browser, as soon as the server tells of it", async () => {
  let path = [greeting];
  const { asked } = await open([greeting], { "GET chats/c1/messages": () => page(path) });
  path = [greeting, mine, reply(1)];
  emit({ type: "chat.changed", id: "another" });
  expect(asked("GET chats/c1/messages")).toHaveLength(1);
  emit({ type: "chat.changed", id: "chat" });
  expect(await screen.findByText("No.")).toBeTruthy();
});

it("keeps a line that was begun, over a reload and until it is sent", async () => {
  const first = await open([greeting], {
    "POST chats/chat/messages": () => refuse(503, "busy", "Not now."),
  });
  await first.user.type(screen.getByLabelText("Your line"), "Wait for");
  cleanup();
  const { user } = await open([greeting], {
    "POST chats/chat/messages": () =>
      events([
        ["start", { generationId: "gen1", userMessage: mine, aiMessage: { ...reply(1), content: "" } }],
        ["done", { aiMessage: reply(1) }],
      ]),
  });
  expect(screen.getByLabelText<HTMLTextAreaElement>("Your line").value).toBe("Wait for");
  await user.type(screen.getByLabelText("Your line"), " me{Enter}");
  expect(await screen.findByText("No.")).toBeTruthy();
  cleanup();
  await open([greeting]);
  expect(screen.getByLabelText<HTMLTextAreaElement>("Your line").value).toBe("");
});

it("speaks the reader's language", async () => {
  await act(() => speak("nl"));
  const { user } = await open([greeting, mine, reply(1)]);
  expect(newest().getByRole("button", { name: "Verder" })).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Gespreksopties" }));
  expect(await screen.findByRole("menuitem", { name: "Wat Isolde onthoudt" })).toBeTruthy();
  await act(() => speak("fr"));
  expect(screen.getByText(/^1\s884 messages sur 5\s000 ce mois-ci$/)).toBeTruthy();
  await act(() => speak("en"));
});

it("finds words in the chat and leads to them", async () => {
  const { user } = await open([greeting, mine, reply(1)]);
  await user.click(screen.getByRole("button", { name: "Chat tools" }));
  await user.click(await screen.findByRole("menuitem", { name: "Find in this chat" }));
  await user.type(screen.getByRole("textbox", { name: "Find in this chat" }), "sorry");
  expect(await screen.findByText("1 of 1")).toBeTruthy();
  await waitFor(() => expect(screen.getByTestId("own-turn").className).toContain("spotted"));
  await user.keyboard("{Escape}");
  expect(screen.queryByRole("search")).toBeNull();
});
