import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TOKEN_KEY } from "@/shared/api/token";
import type { CardRead } from "@/shared/api/types";
import { Routes } from "@/shared/router";
import { useRoot } from "@/shared/store";
import { useToasts } from "@/shared/toast";
import { makeCard, makeUser } from "@/test/make";
import { renderPage, serve } from "@/test/page";
import { pageFromCard } from "../../api";
import Profile from "../../pages/Profile";
import { draftKey, keepDraft } from "../drafts";
import { emptyCharacter } from "../schema";
import CharacterForm from "./CharacterForm";

const READ: CardRead = {
  format: "png",
  version: "v2",
  author: "velvetfox",
  assets: 1,
  pictureIsFile: true,
  picture: null,
  warnings: ["Two fields of another program are kept and not shown."],
  problems: { age: "Minimum age is 18" },
  card: {
    name: "Vesper Lang",
    age: 17,
    tags: ["Female", "Film Noir", "a", "b", "c", "d"],
    description: "Owns the Half Moon.",
    personality: "Dry.",
    firstMessage: "*She looks up.*",
    scenario: "",
    exampleConversation: "",
    kinks: [],
    outfit: "",
    nsfw: false,
    alternateGreetings: ["Closing time."],
    characterBook: { entries: [{ keys: ["cellar"], content: "It floods.", extensions: {}, enabled: true }] },
    systemPrompt: "Be brief.",
    postHistoryInstructions: "",
    creatorNotes: "",
    characterVersion: "2",
    nickname: "",
  },
};
const toasts = () => useToasts.getState().toasts.map((toast) => toast.text);
const me = makeUser({ subscriptionStatus: "active" });
const file = new File(["png"], "vesper.png", { type: "image/png" });

beforeEach(() => {
  localStorage.setItem(TOKEN_KEY, "a.b.c");
  useRoot.getState().enter(me);
  URL.createObjectURL = () => "blob:portrait";
  URL.revokeObjectURL = () => {};
});
afterEach(() => vi.unstubAllGlobals());

describe("a card in the character form", () => {
  it("fills the form, says what it found, and can be undone", async () => {
    const calls = serve({ "POST cards/read": () => ({ success: true, ...READ }) });
    renderPage(<CharacterForm />, "/character/create");
    await userEvent.type(screen.getByLabelText("Name"), "Wren");
    await userEvent.upload(screen.getByLabelText("Character card"), file);
    expect(await screen.findByText("vesper.png")).toBeTruthy();
    expect(screen.getByText("A V2 card by velvetfox · 1 alternate greeting · 1 lorebook entry")).toBeTruthy();
    expect(screen.getByText("Two fields of another program are kept and not shown.")).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>("Name").value).toBe("Vesper Lang");
    expect(screen.getByText("Minimum age is 18")).toBeTruthy();
    expect(screen.getByLabelText<HTMLTextAreaElement>("Alternate greeting 1").value).toBe("Closing time.");
    expect(screen.getByLabelText<HTMLTextAreaElement>("System prompt").value).toBe("Be brief.");
    expect(screen.getByAltText("The portrait")).toBeTruthy();
    expect(within(screen.getByRole("list", { name: "Chosen tags" })).getAllByRole("listitem")).toHaveLength(
      5,
    );
    const sent = calls.find((call) => call.path === "cards/read")?.body;
    expect(sent instanceof FormData && sent.get("file")).toBeInstanceOf(File);

    useToasts.getState().toasts.at(-1)?.action?.run();
    await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>("Name").value).toBe("Wren"));
    expect(screen.queryByText("vesper.png")).toBeNull();
  });

  it("is imported whole with the house rules of the form", async () => {
    const calls = serve({
      "POST cards/read": () => ({ success: true, ...READ }),
      "POST cards/import": () => ({
        success: true,
        character: pageFromCard(makeCard({ _id: "c9" })).character,
        warnings: [],
      }),
    });
    renderPage(<CharacterForm />, "/character/create");
    await userEvent.upload(screen.getByLabelText("Character card"), file);
    await userEvent.click(await screen.findByRole("switch", { name: /^Exportable/ }));
    await userEvent.click(screen.getByRole("button", { name: "Import it whole" }));
    expect((await screen.findByTestId("elsewhere")).textContent).toContain("/character/c9");
    const body = calls.at(-1)?.body as FormData;
    expect(body.get("exportable")).toBe("true");
    expect(body.get("public")).toBe("true");
    expect(body.has("picture")).toBe(false);
  });

  it("says why one is refused", async () => {
    serve({
      "POST cards/read": () =>
        new Response(JSON.stringify({ msg: "This card unpacks to too much.", code: "card_too_large" }), {
          status: 413,
        }),
    });
    renderPage(<CharacterForm />, "/character/create");
    await userEvent.upload(screen.getByLabelText("Character card"), file);
    expect(await screen.findByText("This card unpacks to too much.")).toBeTruthy();
  });
});

describe("a draft", () => {
  it("is kept while one writes, offered again, and gone once the character is there", async () => {
    const character = pageFromCard(makeCard({ _id: "c9" })).character;
    const calls = serve({ "POST create": () => ({ success: true, character }) });
    const { unmount } = renderPage(<CharacterForm />, "/character/create");
    expect(screen.queryByRole("region", { name: "Drafts" })).toBeNull();
    fireEvent.change(screen.getByLabelText("Name"), { target: { value: "Wren" } });
    fireEvent.change(screen.getByLabelText("Description"), { target: { value: "Reads plays on trains." } });
    fireEvent.change(screen.getByLabelText("First message"), { target: { value: "*She looks up.*" } });
    expect(screen.getByText("≈ 6 tokens")).toBeTruthy();
    // Whoever leaves before the wait is over has written too.
    unmount();

    renderPage(<CharacterForm />, "/character/create");
    expect(screen.getByLabelText<HTMLInputElement>("Name").value).toBe("");
    await userEvent.click(screen.getByRole("button", { name: "Continue Wren" }));
    expect(screen.getByLabelText<HTMLInputElement>("Name").value).toBe("Wren");
    expect(screen.queryByRole("region", { name: "Drafts" })).toBeNull();

    await userEvent.click(screen.getByRole("button", { name: "Create Character" }));
    expect((await screen.findAllByText(/Please upload an image/)).length).toBeGreaterThan(0);
    expect(document.activeElement?.textContent).toContain("Upload image");
    await userEvent.click(screen.getByRole("button", { name: "Generate" }));
    await userEvent.click(screen.getByRole("button", { name: "Create Character" }));
    await waitFor(() => expect(toasts()).toContain("Character created successfully!"));
    expect(calls.find((call) => call.method === "POST")?.path).toBe("create");
    expect(Object.keys(localStorage).filter((key) => key.startsWith("drafts:"))).toEqual([]);
  }, 15_000);

  it("keeps the picture as well, and lets it go with the drafts", async () => {
    const kept = new Map<string, Response>();
    const shelf = {
      put: async (address: string, picture: Response) => kept.set(address, picture),
      match: async (address: string) => kept.get(address)?.clone(),
      delete: async (at: string | Request) =>
        kept.delete(typeof at === "string" ? at : new URL(at.url).pathname),
      keys: async () => [...kept.keys()].map((path) => new Request(`http://troupe.test${path}`)),
    };
    vi.stubGlobal("caches", { open: async () => shelf });
    serve({});
    const { unmount } = renderPage(<CharacterForm />, "/character/create");
    await userEvent.upload(screen.getByLabelText("Character image"), file);
    fireEvent.change(screen.getByLabelText("Name"), { target: { value: "Wren" } });
    await waitFor(() => expect(kept.size).toBe(1));
    unmount();

    const second = renderPage(<CharacterForm />, "/character/create");
    expect(screen.queryByAltText("The portrait")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Continue Wren" }));
    expect(await screen.findByAltText("The portrait")).toBeTruthy();
    expect(toasts()).toEqual(["The draft is back."]);
    second.unmount();

    localStorage.clear();
    renderPage(<CharacterForm />, "/character/create");
    await waitFor(() => expect(kept.size).toBe(0));
  });

  it("can be deleted, and brought back", async () => {
    const draft = {
      id: "d",
      savedAt: Date.now(),
      values: { ...emptyCharacter, name: "Wren" },
      picture: false,
    };
    keepDraft(draftKey(me._id, null), draft);
    serve({});
    renderPage(<CharacterForm />, "/character/create");
    await userEvent.click(screen.getByRole("button", { name: "Delete the draft Wren" }));
    expect(screen.queryByText("Wren")).toBeNull();
    expect(toasts()).toEqual(["Draft deleted."]);
    act(() => useToasts.getState().toasts[0]?.action?.run());
    expect(screen.getByText("Wren")).toBeTruthy();
  });
});

describe("the parts of the form that grow", () => {
  it("send greetings and lorebook as they stand, and give back what was removed", async () => {
    const base = pageFromCard(makeCard({ creator: { _id: me._id, username: me.username, pfp: null } }));
    const character = {
      ...base.character,
      firstMessage: "*She looks up.*",
      alternateGreetings: ["Closing time."],
      heldBecause: "The name is that of a real person.",
    };
    const calls = serve({
      "GET character/c1": () => ({ ...base, character }),
      "PUT characters/c1": () => ({ success: true, character }),
    });
    renderPage(<CharacterForm />, "/character/edit", "/character/edit?id=c1");
    expect(await screen.findByText(/The name is that of a real person/)).toBeTruthy();

    await userEvent.click(screen.getByRole("button", { name: "Add a greeting" }));
    await userEvent.type(screen.getByLabelText("Alternate greeting 2"), "It rains.");
    await userEvent.click(screen.getByRole("button", { name: "Move greeting 2 up" }));
    await userEvent.click(screen.getByRole("button", { name: "Remove greeting 2" }));
    expect(toasts()).toEqual(["Greeting removed."]);
    useToasts.getState().toasts[0]?.action?.run();
    expect((await screen.findByLabelText<HTMLTextAreaElement>("Alternate greeting 2")).value).toBe(
      "Closing time.",
    );

    await userEvent.click(screen.getByRole("button", { name: "Add an entry" }));
    await userEvent.type(screen.getByLabelText("Keys"), "cellar, water");
    await userEvent.type(screen.getByLabelText("Text"), "It floods.");
    await userEvent.click(screen.getByRole("switch", { name: "Constant: always told" }));
    await userEvent.click(screen.getByRole("button", { name: "Save Character" }));
    await waitFor(() => expect(toasts()).toContain("Character updated successfully!"));
    const body = calls.find((call) => call.method === "PUT")?.body as FormData;
    expect(JSON.parse(String(body.get("alternateGreetings")))).toEqual(["It rains.", "Closing time."]);
    expect(JSON.parse(String(body.get("characterBook"))).entries).toMatchObject([
      { keys: ["cellar", "water"], content: "It floods.", constant: true },
    ]);
  }, 15_000);
});

describe("a new character of which nobody knows whether it is there", () => {
  it("is the same one when it is sent again, by the form and by its card", async () => {
    const busy = () => new Response('{"code":"unavailable","msg":"Wait."}', { status: 503 });
    const calls = serve({ "POST create": busy, "POST cards/read": () => READ, "POST cards/import": busy });
    renderPage(<CharacterForm />, "/character/create");
    await userEvent.upload(screen.getByLabelText("Character card"), file);
    const whole = await screen.findByRole("button", { name: "Import it whole" });
    fireEvent.change(screen.getByLabelText("Age"), { target: { value: "33" } });
    const create = screen.getByRole("button", { name: "Create Character" });
    for (const button of [whole, create]) {
      const before = calls.length;
      for (const many of [1, 2]) {
        await userEvent.click(button);
        await waitFor(() => expect(calls).toHaveLength(before + many));
        await waitFor(() => expect(button).toHaveProperty("disabled", false));
      }
      const [first, second] = calls.slice(before).map(({ headers }) => headers.get("idempotency-key"));
      expect(first).toBeTruthy();
      expect(second).toBe(first);
    }
  });
});

describe("a character that is changed", () => {
  const mine = (description: string) => {
    const page = pageFromCard(makeCard({ creator: { _id: me._id, username: me.username, pfp: null } }));
    return { ...page, character: { ...page.character, description } };
  };
  const visit = () =>
    renderPage(
      <Routes
        routes={[
          { path: "/character/edit", element: <CharacterForm /> },
          { path: "/character/:id", element: <Profile /> },
        ]}
      />,
      "*",
      "/character/c1",
    );

  it("is neither read nor left behind the lock of who pays nothing", async () => {
    useRoot.getState().enter({ ...me, subscriptionStatus: "inactive" });
    const calls = serve({ "GET character/c1": () => pageFromCard(makeCard()) });
    renderPage(<CharacterForm />, "/character/edit", "/character/edit?id=c1");
    expect(await screen.findByRole("link", { name: "Subscribe" })).toBeTruthy();
    expect(calls).toEqual([]);
  });

  it("is filled in as it stands now, not as it was read before", async () => {
    const answers = [mine("Owns the Half Moon."), mine("Sold the Half Moon.")];
    serve({ "GET character/c1": () => answers.shift() });
    visit();
    await userEvent.click(await screen.findByRole("link", { name: "Edit" }));
    const description = await screen.findByLabelText<HTMLTextAreaElement>("Description");
    expect(description.value).toBe("Sold the Half Moon.");
  });

  it("is not offered as it was read before where it cannot be read now", async () => {
    const answers = [() => mine("Owns the Half Moon."), () => new Response("{}", { status: 500 })];
    serve({ "GET character/c1": () => (answers.shift() ?? (() => mine("Sold the Half Moon.")))() });
    visit();
    await userEvent.click(await screen.findByRole("link", { name: "Edit" }));
    await userEvent.click(await screen.findByRole("button", { name: "Try again" }));
    const description = await screen.findByLabelText<HTMLTextAreaElement>("Description");
    expect(description.value).toBe("Sold the Half Moon.");
  });
});
