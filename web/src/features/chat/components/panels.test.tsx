import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import type { ChatMemory, PromptManifest, SamplingOptions } from "@/shared/api/types";
import { type Call, renderPage, serve } from "@/test/page";
import { MemoryDialog } from "./MemoryDialog";
import { PromptDialog } from "./PromptDialog";
import { SamplingDialog } from "./SamplingDialog";

afterEach(() => vi.unstubAllGlobals());
const nothing = () => {};

const memory = (id: string, text: string, change: Partial<ChatMemory> = {}): ChatMemory => ({
  _id: id,
  characterId: "c1",
  chatId: "chat",
  kind: "fact",
  text,
  importance: 3,
  pinned: false,
  edited: false,
  scope: "chat",
  sourceIds: [],
  createdAt: "2026-11-21T07:00:00Z",
  valid: true,
  inPrompt: false,
  ...change,
});

function openMemories(onJump = vi.fn()) {
  const summary = memory("m2", "They fled over the roofs.", {
    kind: "summary",
    valid: false,
    sourceIds: ["x1", "x2"],
  });
  let memories = [memory("m1", "Wren fears the trapdoor."), summary];
  const calls = serve({
    "GET chats/chat/memories": () => ({ memories }),
    "POST chats/chat/memories": ({ body }: Call) => {
      memories = [...memories, memory("m3", (body as { text: string }).text)];
      return { memory: memories.at(-1) };
    },
    "PUT memories/m1": ({ body }: Call) => {
      memories = memories.map((m) => (m._id === "m1" ? { ...m, ...(body as object) } : m));
      return {};
    },
    "PUT memories/m2": ({ body }: Call) => {
      memories = [...memories, { ...summary, ...(body as object) }];
      return {};
    },
    "DELETE memories/m1": () => {
      memories = memories.filter((m) => m._id !== "m1");
      return {};
    },
    "DELETE memories/m2": () => {
      memories = memories.filter((m) => m._id !== "m2");
      return {};
    },
  });
  renderPage(<MemoryDialog chatId="chat" character="Isolde" onJump={onJump} onClose={nothing} />, "/");
  return { calls, onJump, user: userEvent.setup() };
}

it("writes facts down, pins, changes and deletes them", async () => {
  const { user, calls } = openMemories();
  const item = within((await screen.findByText("Wren fears the trapdoor.")).closest("li") as HTMLElement);
  await user.type(screen.getByLabelText("Something to remember"), "You owe her an orange.");
  await user.click(screen.getByRole("button", { name: "Remember" }));
  expect(await screen.findByText("You owe her an orange.")).toBeTruthy();
  expect(calls.find((c) => c.method === "POST")?.body).toEqual({
    text: "You owe her an orange.",
    scope: "chat",
  });

  await user.click(item.getByRole("button", { name: "Pin: always in mind" }));
  await waitFor(() => expect(item.getByRole("button", { name: "Unpin" })).toBeTruthy());

  await user.click(item.getByRole("button", { name: "Edit" }));
  await user.clear(item.getByLabelText("Memory"));
  await user.type(item.getByLabelText("Memory"), "Wren likes the trapdoor.");
  await user.click(item.getByRole("button", { name: "Save" }));
  expect(await item.findByText("Wren likes the trapdoor.")).toBeTruthy();

  await user.click(item.getByRole("button", { name: "Delete" }));
  await waitFor(() => expect(screen.queryByText("Wren likes the trapdoor.")).toBeNull());
  await user.click(screen.getByRole("button", { name: "Undo" }));
  expect(await screen.findByText("Wren likes the trapdoor.")).toBeTruthy();
});

it("deletes a summary at once, and brings it back in its place for whoever undoes that", async () => {
  const { user, calls } = openMemories();
  const item = within((await screen.findByText("They fled over the roofs.")).closest("li") as HTMLElement);
  await user.click(item.getByRole("button", { name: "Delete" }));
  await waitFor(() => expect(screen.queryByText("They fled over the roofs.")).toBeNull());
  expect(screen.getByText("Summary deleted.")).toBeTruthy();
  const undo = screen.getByRole("button", { name: "Undo" });
  expect(document.activeElement).toBe(undo);
  await user.click(undo);
  const back = (await screen.findByText("They fled over the roofs.")).closest("li") as HTMLElement;
  expect(within(back).getByRole("button", { name: "2 messages" })).toBeTruthy();
  const writes = calls.filter((c) => c.method !== "GET").map((c) => [c.method, c.path, c.body]);
  expect(writes).toEqual([
    ["DELETE", "memories/m2", undefined],
    ["PUT", "memories/m2", { text: "They fled over the roofs.", pinned: false }],
  ]);
});

it("says why a memory does not count, and leads to where it comes from", async () => {
  const { user, onJump } = openMemories();
  const item = within((await screen.findByText("They fled over the roofs.")).closest("li") as HTMLElement);
  expect(item.getByText(/Not on this branch/)).toBeTruthy();
  await user.click(item.getByRole("button", { name: "2 messages" }));
  expect(onJump).toHaveBeenCalledExactlyOnceWith("x1");
});

const options = (maySet: boolean): SamplingOptions => ({
  presets: [
    {
      _id: "balanced",
      label: "Balanced",
      description: "The house's own.",
      own: false,
      values: { temperature: 0.9 },
    },
    { _id: "wild", label: "Wild", description: "", own: false, values: { temperature: 1.4 } },
  ] as SamplingOptions["presets"],
  defaultPreset: "balanced",
  bounds: [{ parameter: "temperature", min: 0, max: 2, step: 0.1, taken: true }],
  maySet,
  engine: "improv",
  stopMaxItems: 4,
  stopMaxLength: 64,
  ownMaxItems: 20,
});

function openSampling(maySet: boolean) {
  const now = { preset: "balanced", values: {}, effective: {}, maySet };
  const calls = serve({
    "GET sampling": () => options(maySet),
    "GET chats/chat/sampling": () => now,
    "PUT chats/chat/sampling": ({ body }: Call) => ({ ...now, ...(body as object) }),
  });
  const onClose = vi.fn();
  renderPage(<SamplingDialog chatId="chat" onClose={onClose} onSubscribe={nothing} />, "/");
  return { calls, onClose, user: userEvent.setup() };
}

it("sets how replies are written: a preset, and what is turned beyond it", async () => {
  const { user, calls, onClose } = openSampling(true);
  await user.click(await screen.findByRole("button", { name: "Wild" }));
  expect(screen.getByRole<HTMLInputElement>("slider", { name: "Temperature" }).value).toBe("1.4");
  await user.type(screen.getByLabelText("Stop before"), "Wren:");
  await user.click(screen.getByRole("button", { name: "Use these" }));
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(calls.find((c) => c.method === "PUT")?.body).toEqual({
    preset: "wild",
    values: { stop: ["Wren:"] },
  });
});

it("shows free readers how it would be, locked, and the way in", async () => {
  openSampling(false);
  const slider = await screen.findByRole<HTMLInputElement>("slider", { name: "Temperature" });
  expect(slider.disabled).toBe(true);
  expect(screen.getByRole("link", { name: "Subscribe" }).getAttribute("href")).toBe("/membership");
  expect(screen.queryByRole("button", { name: "Use these" })).toBeNull();
});

it("shows what the character saw, what was left out, and what it would see next", async () => {
  const user = userEvent.setup();
  const manifest = (tokens: number): PromptManifest => ({
    engine: "improv",
    model: "nemo",
    tokens,
    budget: 4096,
    reply: 400,
    estimated: true,
    prefixTokens: 900,
    warnings: [],
    blocks: [
      {
        block: "history",
        title: "Messages",
        tokens: 1000,
        included: true,
        why: "budget",
        parts: 22,
        dropped: 18,
        entries: [],
      },
    ],
  });
  serve({
    "GET chats/chat/messages/r1/manifest": () => ({ manifest: manifest(1000) }),
    "GET chats/chat/prompt": () => ({ manifest: manifest(1200) }),
  });
  renderPage(
    <PromptDialog
      chatId="chat"
      messageId="r1"
      persona={undefined}
      character="Isolde"
      own="Wren"
      onClose={nothing}
    />,
    "/",
  );
  expect(await screen.findByText("about 1,000 of 4,096 tokens")).toBeTruthy();
  expect(screen.getByText("The oldest no longer fit. 18 left out.")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "For the next" }));
  expect(await screen.findByText("about 1,200 of 4,096 tokens")).toBeTruthy();
});
