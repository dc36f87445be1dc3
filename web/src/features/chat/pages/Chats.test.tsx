import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import type { ChatSummary } from "@/shared/api/types";
import { useRoot } from "@/shared/store";
import { useToasts } from "@/shared/toast";
import { makeUser } from "@/test/make";
import { type Call, renderPage, serve } from "@/test/page";
import Chats from "./Chats";

const chat = (id: string, name: string, change: Partial<ChatSummary> = {}): ChatSummary => ({
  _id: id,
  character: { _id: `of-${id}`, name, imageUrl: null },
  title: null,
  pinned: false,
  archived: false,
  createdAt: "2026-11-01T07:00:00Z",
  lastMessage: { content: "*She* waits." },
  lastMessageAt: "2026-11-20T07:00:00Z",
  messageCount: 3,
  ...change,
});

function open(routes: Record<string, (call: Call) => unknown> = {}) {
  let chats = [chat("a", "Isolde"), chat("b", "Kaito", { lastMessageAt: "2026-11-10T07:00:00Z" })];
  const change = ({ path, body }: Call) => {
    const id = path.split("/")[1];
    chats = chats.map((c) => (c._id === id ? { ...c, ...(body as object) } : c));
    return { chat: chats.find((c) => c._id === id) };
  };
  useRoot.setState({ loggedIn: true, userData: makeUser() });
  const calls = serve({
    "GET chats": ({ query }) => {
      const words = query.get("q")?.toLowerCase() ?? "";
      const archived = query.get("archived") === "true";
      const listed = chats.filter(
        (c) => c.archived === archived && c.character.name.toLowerCase().includes(words),
      );
      return listed.toSorted((a, b) => Number(b.pinned) - Number(a.pinned));
    },
    "GET chats/search": () => ({ hits: [], hasMore: false }),
    "PUT chats/a": change,
    "PUT chats/b": change,
    "DELETE chats/a": () => {
      chats = chats.filter((c) => c._id !== "a");
      return {};
    },
    "POST chats/a/restore": () => {
      chats = [chat("a", "Isolde"), ...chats];
      return { chat: chats[0] };
    },
    ...routes,
  });
  const user = userEvent.setup();
  renderPage(<Chats />, "/chats");
  return { user, calls };
}
const names = () =>
  screen
    .getAllByRole("listitem")
    .map((item) => within(item).getByRole("link").querySelector("b")?.textContent);
const toast = () => useToasts.getState().toasts.at(-1);
async function choose(user: ReturnType<typeof userEvent.setup>, of: string, what: RegExp | string) {
  await user.click(await screen.findByRole("button", { name: `More about the chat with ${of}` }));
  await user.click(await screen.findByRole("menuitem", { name: what }));
}

afterEach(() => vi.unstubAllGlobals());

it("opens the chat that was chosen, not another with the same character", async () => {
  open();
  const link = await screen.findByRole("link", { name: /Isolde/ });
  expect(link.getAttribute("href")).toBe("/character/of-a/chat?chat=a");
});

it("pins to the top and renames", async () => {
  const { user } = open();
  await choose(user, "Kaito", "Pin to the top");
  await waitFor(() => expect(names()).toEqual(["Kaito", "Isolde"]));
  await choose(user, "Kaito", "Rename");
  await user.type(screen.getByLabelText("Title"), "Rain{Enter}");
  await waitFor(() => expect(names()).toEqual(["Rain", "Isolde"]));
});

it("puts away and brings back", async () => {
  const { user } = open();
  await choose(user, "Isolde", "Archive");
  await waitFor(() => expect(names()).toEqual(["Kaito"]));
  await user.click(screen.getByRole("button", { name: "Archived" }));
  expect(await screen.findByRole("link", { name: /Isolde/ })).toBeTruthy();
  toast()?.action?.run();
  expect(await screen.findByText("Nothing is put away")).toBeTruthy();
});

it("deletes, and undoes it", async () => {
  const { user } = open();
  await choose(user, "Isolde", "Delete");
  await waitFor(() => expect(names()).toEqual(["Kaito"]));
  await waitFor(() => expect(toast()?.text).toBe("Chat deleted"));
  toast()?.action?.run();
  await waitFor(() => expect(names()).toContain("Isolde"));
});

it("puts a chat back that the server would not let go", async () => {
  const { user } = open({
    "DELETE chats/a": () =>
      new Response(JSON.stringify({ success: false, code: "unavailable", msg: "Busy." }), { status: 503 }),
  });
  await choose(user, "Isolde", "Delete");
  await waitFor(() => expect(toast()?.text).toBe("Busy."));
  expect(names()).toContain("Isolde");
});

it("finds names at once and words in messages, marked, with the way to the message", async () => {
  const { user } = open({
    "GET chats/search": ({ query }) => ({
      hits: [
        {
          chatId: "b",
          messageId: "m7",
          character: { _id: "of-b", name: "Kaito", imageUrl: null },
          title: null,
          senderType: "user",
          snippet: "… and then isolation …",
          marks: [{ start: 11, end: 14 }],
          createdAt: "2026-11-20T07:00:00Z",
        },
      ].filter(() => query.get("q") === "iso"),
      hasMore: false,
    }),
  });
  await screen.findByRole("link", { name: /Isolde/ });
  await user.type(screen.getByRole("searchbox", { name: "Search your chats" }), "iso");
  const mark = await screen.findByText("iso", { selector: "mark" });
  expect(mark.closest("a")?.getAttribute("href")).toBe("/character/of-b/chat?chat=b&at=m7");
  await waitFor(() => expect(names()).toEqual(["Isolde", "Kaito"]));
});

it("goes on after the first page, and keeps it where the next one fails", async () => {
  const all = Array.from({ length: 53 }, (_, at) => chat(`c${at}`, `Guest ${at}`));
  let fails = true;
  const { user } = open({
    "GET chats": ({ query }) => {
      const after = query.get("after");
      if (after && fails) return new Response("{}", { status: 500 });
      const from = all.findIndex((c) => c._id === after) + 1;
      return all.slice(from, from + 50);
    },
  });
  await screen.findByRole("link", { name: /Guest 49/ });
  expect(screen.queryByText("That is everyone. Meet somebody new")).toBeNull();
  await user.click(screen.getByRole("button", { name: "More" }));
  expect(await screen.findByText("Failed to load chats. Please try again.")).toBeTruthy();
  expect(names()).toHaveLength(50);
  fails = false;
  await user.click(screen.getByRole("button", { name: "More" }));
  await screen.findByRole("link", { name: /Guest 52/ });
  expect(screen.getByText("That is everyone. Meet somebody new")).toBeTruthy();
});

it("exports as a file with the server's name", async () => {
  Object.assign(URL, { createObjectURL: () => "blob:chat", revokeObjectURL: vi.fn() });
  const saved = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => {});
  const { user, calls } = open({
    "GET chats/a/export": () =>
      new Response("# Isolde", { headers: { "content-disposition": 'attachment; filename="isolde.md"' } }),
  });
  await choose(user, "Isolde", /Markdown/);
  await waitFor(() => expect(saved).toHaveBeenCalled());
  expect(saved.mock.contexts[0]).toMatchObject({ download: "isolde.md" });
  expect(calls.find((c) => c.path === "chats/a/export")?.query.get("format")).toBe("markdown");
  saved.mockRestore();
});

it("imports a chat, and names the lines that are wrong", async () => {
  const answers = [
    () =>
      new Response(
        JSON.stringify({
          success: false,
          code: "invalid",
          msg: "The file has faults.",
          fields: { "line 7": "This is no JSON." },
        }),
        { status: 422 },
      ),
    () => ({ chatId: "new", messages: 12, leftOut: 1 }),
  ];
  const { user, calls } = open({ "POST chats/import": () => answers.shift()?.() });
  await user.click(await screen.findByRole("button", { name: "Import" }));
  const dialog = within(screen.getByRole("dialog"));
  const send = dialog.getByRole<HTMLButtonElement>("button", { name: "Import" });
  expect(send.disabled).toBe(true);
  await user.upload(dialog.getByLabelText("Choose a file"), new File(["{}"], "isolde.jsonl"));
  await user.click(await dialog.findByRole("radio", { name: "Isolde" }));
  await user.click(send);
  expect(await dialog.findByText("line 7: This is no JSON.")).toBeTruthy();
  await user.click(send);
  await waitFor(() => expect(toast()?.text).toBe("12 messages brought in, 1 line left out"));
  const form = calls.find((c) => c.path === "chats/import")?.body as FormData;
  expect(form.get("characterId")).toBe("of-a");
});
