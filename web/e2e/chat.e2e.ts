import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audit, HOUSE, PATIENCE_MS, screenshot, undo, type Visit, visit } from "./house";
import { become } from "./member";
import { join, ok, type Person, subscribe } from "./people";

/** The chat room and its neighbours, as somebody who pays, somebody who does not, and nobody. */
let house: Visit;
let free: Person;
let paying: Person;
/** A character everybody may see. */
let character = { _id: "", name: "" };

const enter = (person: Person) => become(house.page, person);

/** A chat file of SillyTavern with so many messages. */
const chatFile = (messages: number) =>
  [
    { user_name: "Wren", character_name: character.name, chat_metadata: {} },
    ...Array.from({ length: messages }, (_, at) => ({
      name: at % 2 === 1 ? "Wren" : character.name,
      is_user: at % 2 === 1,
      mes: `*The lamp is moved.* "This is line ${at}${at === 40 ? ", about a pomegranate" : ""}."`,
      send_date: "November 1, 2026 10:00am",
    })),
  ]
    .map((line) => JSON.stringify(line))
    .join("\n");

const bringIn = async (person: Person, messages: number): Promise<string> => {
  const file = new Blob([chatFile(messages)]);
  const { chatId } = await ok("POST", "/api/chats/import", {
    token: person.token,
    form: { characterId: character._id, file },
  });
  return chatId;
};

beforeAll(async () => {
  house = await visit();
});
afterAll(async () => {
  await house?.browser.close();
});

/** What becomes true before long. */
const soon = <T>(what: () => T | Promise<T>) => expect.poll(what, { timeout: PATIENCE_MS });
const room = () => `/character/${character._id}/chat`;
const composer = () => house.page.getByLabel("Your line", { exact: true });
const turns = () => house.page.getByTestId("character-turn");
const ownTurns = () => house.page.getByTestId("own-turn");
const dialog = () => house.page.getByRole("dialog");
const say = async (line: string) => {
  await composer().fill(line);
  await composer().press("Enter");
};
/** The reply is there, whole. */
const replied = async () => {
  await house.page.getByRole("button", { name: "Continue", exact: true }).waitFor();
  await soon(() => house.page.locator('[aria-busy="true"]').count()).toBe(0);
};
const tool = async (name: string | RegExp) => {
  await house.page.getByRole("button", { name: "Chat tools" }).click();
  await house.page.getByRole("menuitem", { name }).click();
};
/** Dark on a desk, light on a phone. */
const auditBoth = async (name: string) => {
  const { page } = house;
  for (const [width, colorScheme] of [
    [1440, "dark"],
    [390, "light"],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await audit(page, `${name}, ${width} px, ${colorScheme}`);
    await screenshot(page, `${name.replaceAll(" ", "-")}-${width}-${colorScheme}`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: "dark" });
};

it("lets two people in", async () => {
  free = await join("free");
  paying = await join("paying");
  await subscribe(paying, "premium");
  const { characters } = await ok("GET", "/api/search?keywords=Isolde");
  character = characters.find((found: { nsfw: boolean }) => !found.nsfw);
});

describe("a visitor", () => {
  it("is led to the login", async () => {
    const { page } = house;
    for (const path of [room(), "/chats", "/personas/lorebooks"]) {
      await page.goto(path);
      await page.waitForURL("**/login**");
    }
  });
});

describe("a free reader", () => {
  it("is told that an AI speaks, and talks", async () => {
    const { page } = house;
    await enter(free);
    await page.goto(room());
    await page.getByText(/is an AI character, not a person/).waitFor();
    await say('*I sit down.* "What is **this** place?"');
    await replied();
    // What was asked for was read: the notice is a line again.
    expect(await page.locator("details.safe").evaluate((notice: HTMLDetailsElement) => notice.open)).toBe(
      false,
    );
    expect(await ownTurns().locator("em").first().textContent()).toBe("I sit down.");
    expect(await ownTurns().locator(".speech strong").textContent()).toBe("this");
    // Read out by the sentence, after the name.
    expect(await page.getByRole("log", { name: "Replies" }).locator("p").first().textContent()).toMatch(
      /\p{L}/u,
    );
    await page
      .getByText("2 of 20 free messages")
      .or(page.getByText("3 of 20 free messages"))
      .first()
      .waitFor();
    await auditBoth("chat room");
  });

  it("is told what is for members, and asked once the free messages are spent", async () => {
    const { page } = house;
    await tool("Clear Chat");
    await page.getByText("Free users can not use these options").waitFor();
    await tool("How replies are written");
    await dialog().getByText("Members set how their chats are written").waitFor();
    await audit(page, "sampling, locked");
    await page.keyboard.press("Escape");
    const long = await bringIn(free, 24);
    await page.goto(`${room()}?chat=${long}`);
    await say("Is there more?");
    await dialog().getByText("The scene goes on for members").waitFor();
    await page.keyboard.press("Escape");
    expect(await composer().inputValue()).toBe("Is there more?");
  });
});

describe("a member", () => {
  it("leafs, changes, deletes and finds the way back through the branches", async () => {
    const { page } = house;
    await enter(paying);
    await page.goto(room());
    await say("Tell me about the glove.");
    await replied();
    await page.getByRole("button", { name: "Write it again" }).click();
    await replied();
    const second = await turns().last().locator(".bubble").textContent();
    await turns().last().getByRole("button", { name: "Previous version" }).click();
    await soon(() => turns().last().locator(".swipe").textContent()).toContain("1 of/ 2");

    await tool("Branches");
    await dialog().getByText("This chat has 2 ends.").waitFor();
    await audit(page, "branches");
    await dialog()
      .getByRole("listitem")
      .filter({ hasNotText: "You are here" })
      .last()
      .getByRole("button")
      .click();
    await soon(() => turns().last().locator(".bubble").textContent()).toBe(second);

    await ownTurns().last().hover();
    await ownTurns().last().getByRole("button", { name: "More about this message" }).click();
    await page.getByRole("menuitem", { name: "Delete from here on" }).click();
    await soon(() => ownTurns().count()).toBe(0);
    await undo(page);
    await soon(() => ownTurns().count()).toBe(1);

    await tool("Clear Chat");
    await dialog().getByRole("button", { name: "Clear Chat" }).click();
    await page.getByText("Chat cleared successfully").waitFor();
    await undo(page);
    await soon(() => ownTurns().count()).toBe(1);
  });

  it("keeps a reply over a reload and a lost network, and in another tab", async () => {
    const { page, context } = house;
    const other = await context.newPage();
    await other.goto(page.url());
    await other.getByLabel("Your line", { exact: true }).waitFor();
    // In another browser, which knows of this one only by the server.
    const away = await house.browser.newContext({ baseURL: HOUSE, locale: "en-GB", serviceWorkers: "block" });
    const phone = await away.newPage();
    await become(phone, paying);
    await phone.goto(page.url());
    await phone.getByLabel("Your line", { exact: true }).waitFor();
    await say("And then?");
    await phone.getByText("And then?").waitFor();
    await page.reload();
    await replied();
    await say("What happened after that, in all detail?");
    await turns().last().locator(".bubble.prose").waitFor();
    await context.setOffline(true);
    await page.getByText("You are offline.").waitFor();
    await context.setOffline(false);
    await replied();
    expect(await page.locator(".trouble").count()).toBe(0);
    const history = await page.locator(".turn .bubble").allTextContents();
    for (const elsewhere of [other, phone]) {
      // Nothing is typed out where nobody looks.
      await elsewhere.bringToFront();
      await soon(() => elsewhere.locator(".turn .bubble").allTextContents()).toEqual(history);
    }
    await other.close();
    await away.close();
  });

  it("finds the line again that was begun before a reload", async () => {
    const { page } = house;
    await composer().fill("Hold the lamp a little");
    await page.reload();
    await soon(() => composer().inputValue()).toBe("Hold the lamp a little");
    await composer().press("Enter");
    await replied();
    await page.reload();
    await composer().waitFor();
    expect(await composer().inputValue()).toBe("");
  });

  it("remembers, shows what the character sees, and exports", async () => {
    const { page } = house;
    await tool(/remembers/);
    await dialog().getByLabel("Something to remember").fill("I am afraid of the trapdoor.");
    await dialog().getByRole("button", { name: "Remember" }).click();
    const memory = dialog().locator(".memory");
    await memory.waitFor();
    await audit(page, "memories");
    await memory.getByRole("button", { name: "Delete" }).click();
    await soon(() => memory.count()).toBe(0);
    await undo(dialog());
    await memory.waitFor();
    await page.keyboard.press("Escape");
    await tool(/ sees$/);
    await dialog()
      .getByText(/tokens are kept for the reply/)
      .waitFor();
    await audit(page, "what the character sees");
    await page.keyboard.press("Escape");
    await tool("Export");
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      dialog()
        .getByRole("button", { name: /^To read/ })
        .click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/\.md$/);
  });

  it("moves through a thousand messages, of which few are in the page", async () => {
    const { page } = house;
    const long = await bringIn(paying, 1000);
    await page.goto(`${room()}?chat=${long}`);
    await page.getByText("This is line 999.").waitFor();
    const lines = page.getByRole("log", { name: "Conversation" });
    expect(await page.locator(".turn").count()).toBeLessThan(60);
    // Where a line stands that is read, or null once it is out of the page.
    const top = (line: number) =>
      page.evaluate((words) => {
        const turns = [...document.querySelectorAll(".turn")];
        const turn = turns.find((one) => one.textContent?.includes(words));
        return turn ? Math.round(turn.getBoundingClientRect().top) : null;
      }, `This is line ${line}.`);
    // What comes in front of the first message moves nothing that is read.
    await page.route("**/messages?*before=*", async (route) => {
      await hold;
      await route.continue();
    });
    let letGo = () => {};
    const hold = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await lines.evaluate((box) => {
      box.scrollTop = 0;
    });
    await page.getByText("This is line 950.").waitFor();
    await page.getByRole("button", { name: "Earlier messages" }).waitFor();
    const stood = await top(951);
    letGo();
    await soon(() => lines.evaluate((box) => box.scrollTop)).toBeGreaterThan(2000);
    await soon(() => top(951)).toBe(stood);
    await page.unroute("**/messages?*before=*");
    // Up to the very first one, page by page.
    const toStart = () =>
      lines.evaluate((box) => {
        box.scrollTop = 0;
      });
    const more = page.getByRole("button", { name: "Earlier messages" });
    while ((await more.count()) > 0) {
      const came = page.waitForResponse((answer) => answer.url().includes("before="));
      await toStart();
      await came;
      // The reader stands where they stood, which is further down now.
      await soon(() => lines.evaluate((box) => box.scrollTop)).toBeGreaterThan(2000);
    }
    await toStart();
    await page.getByText("This is line 0.").waitFor();
    expect(await page.locator(".turn").count()).toBeLessThan(60);
    await page.reload();
    await page.getByText("This is line 999.").waitFor();
    await tool("Find in this chat");
    await page.getByLabel("Find in this chat").fill("Pomegranate");
    await page.getByText("This is line 40, about a pomegranate.").waitFor();
    await page.getByText("1 of 1", { exact: true }).waitFor();
    await audit(page, "finding in a chat");
    await page.keyboard.press("Escape");
    // What comes below does not move what is read above.
    const place = () =>
      page
        .locator(".turn")
        .getByText("This is line 40, about")
        .evaluate((text) => Math.round(text.getBoundingClientRect().top));
    const before = await place();
    const told = page.waitForResponse((answer) => /\/messages\?.*limit=50$/.test(answer.url()));
    await ok("POST", `/api/chats/${long}/messages`, {
      token: paying.token,
      json: { content: "Are you there?" },
    });
    // The server's hint brings it, and nothing moves.
    await told;
    await page.getByRole("button", { name: "Latest" }).waitFor();
    await soon(place).toBe(before);
    await page.getByRole("button", { name: "Latest" }).click();
    await page.getByText("Are you there?", { exact: true }).waitFor();
  });

  it("sees the shape of a chat while the house is slow, and keeps the line when it has stopped", async () => {
    const { page } = house;
    let letGo = () => {};
    const hold = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route("**/api/chats/*/messages**", async (route) => {
      await hold;
      await route.continue();
    });
    await page.goto(room());
    await page.getByRole("status", { name: "Loading chat" }).waitFor();
    await audit(page, "a chat that is on its way");
    letGo();
    await composer().waitFor();
    await page.unroute("**/api/chats/*/messages**");

    await page.route(`${HOUSE}/api/**`, (route) => route.abort());
    await say("Is anybody there?");
    await soon(() => composer().inputValue()).toBe("Is anybody there?");
    await soon(() => page.locator(".toasts").textContent()).not.toBe("");
    await tool("Branches");
    await dialog().getByText("The branches could not be read. Please try again.").waitFor();
    await page.unroute(`${HOUSE}/api/**`);
    await dialog().getByRole("button", { name: "Try again" }).click();
    await dialog().getByRole("listitem").first().waitFor();
    await page.keyboard.press("Escape");
    await composer().fill("");
  });

  it("chooses a hand that writes, and is read to in another language", async () => {
    const { page } = house;
    await page.goto(room());
    await tool("How replies are written");
    const presets = dialog().getByRole("group", { name: "Preset" });
    await presets.getByRole("button", { pressed: false }).first().click();
    await audit(page, "sampling");
    await dialog().getByRole("button", { name: "Use these" }).click();
    await page.getByText("The next reply is written so").waitFor();
    await page.evaluate(() => {
      const root = JSON.parse(localStorage.getItem("root") ?? "{}");
      localStorage.setItem("root", JSON.stringify({ ...root, state: { ...root.state, language: "fr" } }));
    });
    await page.reload();
    await page.getByLabel("Votre réplique", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Outils de la discussion" }).click();
    await page.getByRole("menuitem", { name: "Embranchements" }).waitFor();
    await page.keyboard.press("Escape");
    await audit(page, "a chat in French");
    await page.evaluate(() => {
      const root = JSON.parse(localStorage.getItem("root") ?? "{}");
      localStorage.setItem("root", JSON.stringify({ ...root, state: { ...root.state, language: null } }));
    });
    await page.reload();
    await composer().waitFor();
  });

  it("says what is gone, and what could not be fetched", async () => {
    const { page } = house;
    await page.goto(`${room()}?chat=${randomUUID()}`);
    await page.getByText("This chat is no longer there.").waitFor();
    await page.goto(`/character/${randomUUID()}/chat`);
    await page.getByText("Character not found.").waitFor();
    await page.route("**/api/chats/*/messages**", (route) => route.abort());
    await page.goto(room());
    await page.getByText("Failed to load chat. Please try again.").waitFor();
    await audit(page, "a chat that could not be fetched");
    await page.unroute("**/api/chats/*/messages**");
    await page.getByRole("button", { name: "Try again" }).click();
    await composer().waitFor();
  });
});

describe("the list of chats", () => {
  it("finds, renames, pins and puts away", async () => {
    const { page } = house;
    const keeper = await join("keeper");
    await bringIn(keeper, 60);
    await ok("POST", "/api/chats", { token: keeper.token, json: { characterId: character._id } });
    await enter(keeper);
    await page.goto("/chats");
    const items = page.locator(".chat-list > li");
    await soon(() => items.count()).toBe(2);
    await items
      .last()
      .getByRole("button", { name: /More about/ })
      .click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    await dialog().getByLabel("Title").fill("Opening night");
    await dialog().getByRole("button", { name: "Save" }).click();
    await items
      .filter({ hasText: "Opening night" })
      .getByRole("button", { name: /More about/ })
      .click();
    await page.getByRole("menuitem", { name: "Pin to the top" }).click();
    await soon(() => items.first().textContent()).toContain("Opening night");
    await items
      .first()
      .getByRole("button", { name: /More about/ })
      .click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await soon(() => items.count()).toBe(1);
    await page.getByRole("button", { name: "Archived" }).click();
    await items.filter({ hasText: "Opening night" }).waitFor();
    await page.getByLabel("Search your chats").fill("pomegranate");
    await page.locator(".hit mark").first().waitFor();
    await auditBoth("chats");
  });

  it("is empty for somebody new, and says when it could not be fetched", async () => {
    const { page } = house;
    await enter(await join("newcomer"));
    await page.goto("/chats");
    await page.getByText("It's a bit empty here").waitFor();
    await audit(page, "no chats");
    await page.route("**/api/chats", (route) => route.fulfill({ status: 500, json: { success: false } }));
    await page.goto("/chats");
    await page.getByText("Failed to load chats. Please try again.").waitFor();
    await page.unroute("**/api/chats");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("It's a bit empty here").waitFor();
  });
});

describe("lorebooks", () => {
  it("are written, deleted and brought back", async () => {
    const { page } = house;
    await page.goto("/personas/lorebooks");
    await page.getByText("Nothing written down").waitFor();
    await audit(page, "no lorebooks");
    await page.getByRole("button", { name: "New lorebook" }).click();
    await dialog().getByLabel("Name").fill("Gannet Point");
    await dialog().getByRole("button", { name: "Only some" }).click();
    await dialog().getByPlaceholder("A character's name").fill(character.name);
    await dialog().getByRole("list", { name: "Characters found" }).getByRole("button").first().click();
    await dialog().getByRole("button", { name: "Add an entry" }).click();
    await dialog().getByLabel("Keys", { exact: true }).fill("lamp");
    await dialog().getByLabel("Secondary keys").fill("torch");
    await dialog().getByLabel("Logic").selectOption("but none of these");
    await dialog().getByLabel("Text").fill("The lamp went out twice this winter.");
    await audit(page, "a lorebook");
    await dialog().getByRole("button", { name: "Save" }).click();
    const book = page.getByRole("button", { name: /Gannet Point.*for 1 character/ });
    await book.waitFor();
    await page.getByRole("button", { name: "Delete Gannet Point" }).click();
    await page.getByText("Nothing written down").waitFor();
    await undo(page);
    await book.waitFor();
    await auditBoth("lorebooks");
  });

  it("say when they could not be fetched", async () => {
    const { page } = house;
    await page.route("**/api/lorebooks", (route) => route.fulfill({ status: 500, json: { success: false } }));
    await page.goto("/personas/lorebooks");
    await page.getByText("Failed to load lorebooks. Please try again.").waitFor();
    await page.unroute("**/api/lorebooks");
  });

  it("never broke the policy of the page", () => {
    const policy = house.complaints.filter((said) => /content security policy|exception/i.test(said));
    expect(policy, HOUSE).toEqual([]);
  });
});
