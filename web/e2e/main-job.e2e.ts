import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audit, codeFor, ENGINE, HOUSE, markPage, PATIENCE_MS, screenshot, type Visit, visit } from "./house";
import { makePng } from "./png";

/** One visitor, from the street to a character of their own. The tests are one story and run in order. */
const stamp = Date.now().toString(36);
const reader = { email: `wren-${stamp}@example.com`, password: "Prompt-box-7", username: `wren${stamp}` };
const OFFLINE = ENGINE === "improv";
/** The label for the built-in engine, and what the test server says. */
const OFFLINE_LABEL = "Offline engine";
const TEST_MODEL = "The test model looks up from its script.";

let house: Visit;
beforeAll(async () => {
  house = await visit();
});
afterAll(async () => {
  await house?.browser.close();
});

/** A character of the seeds, on the home page and found by name alone. */
const SOMEONE = "Vesper Lang";
/** Their page, `/character/{id}`. */
let characterPath = "";

const searchField = () => house.page.getByPlaceholder("A name, a tag, a mood");
/** Names on the cards, without the line under them. */
const foundNames = () =>
  house.page
    .locator("main .bill-name")
    .evaluateAll((names) => names.map((name) => name.firstChild?.textContent ?? ""));
const turns = () => house.page.getByTestId("character-turn");
const ownTurns = () => house.page.getByTestId("own-turn");
const lastTurn = () => turns().last();
const bubble = () => lastTurn().locator(".bubble");
const words = async () => (await bubble().textContent()) ?? "";
const composer = () => house.page.getByLabel("Your line", { exact: true });
/** Longest a greeting of 150 words may take to be typed at 22 ms a character, with room to spare, ms. */
const TYPING_MS = 45_000;
/** Nothing is being written, and what was written is shown whole. */
const quiet = async () => {
  await house.page.getByRole("button", { name: "Send" }).waitFor({ timeout: TYPING_MS });
  await expect.poll(() => house.page.locator('[aria-busy="true"]').count(), { timeout: TYPING_MS }).toBe(0);
};
const say = async (line: string) => {
  await composer().fill(line);
  await composer().press("Enter");
};
const history = () => house.page.locator(".turn .bubble").allTextContents();

describe("the main job", () => {
  it("shows a visitor characters with portraits", async () => {
    const { page } = house;
    await page.goto("/");
    await page.getByRole("heading", { level: 1 }).waitFor();
    const portrait = page.locator(".bill-art img").first();
    await portrait.waitFor();
    await expect
      .poll(() => portrait.evaluate((img: HTMLImageElement) => img.naturalWidth), { timeout: PATIENCE_MS })
      .toBeGreaterThan(200);
    await audit(page, "home");
    await screenshot(page, "home-1440");
  });

  it("lets the visitor search, and keeps the results locked", async () => {
    const { page } = house;
    await page
      .getByRole("link", { name: /search characters/i })
      .first()
      .click();
    await page.waitForURL("**/search");
    await page.getByRole("heading", { name: "Sign in to unlock characters" }).waitFor();
    await audit(page, "search, visitor");
    await searchField().fill(SOMEONE);
    await expect.poll(foundNames, { timeout: PATIENCE_MS }).toEqual([SOMEONE]);
    // What stands behind the lock is out of reach of mouse, keyboard and screen reader.
    const name = page.locator("main .bill-name").first();
    expect(await name.evaluate((element) => element.closest("[inert]") !== null)).toBe(true);
  });

  it("lets the visitor open a character", async () => {
    const { page } = house;
    // For those who asked for less motion the shelf stands still.
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.goto("/");
    await page.locator("a.bill-art", { hasText: SOMEONE }).first().click();
    await page.waitForURL(/\/character\/[0-9a-f-]{36}$/);
    await page.emulateMedia({ reducedMotion: "no-preference" });
    characterPath = new URL(page.url()).pathname;
    await page.getByRole("heading", { level: 1, name: SOMEONE }).waitFor();
    await audit(page, "character");
    await screenshot(page, "character-1440");
  });

  it("signs up in steps", async () => {
    const { page } = house;
    await page.goto("/signup");
    await audit(page, "signup, age");
    await page.getByRole("button", { name: "I'm over 18" }).click();
    await page.getByLabel("E-Mail").fill("wren@example");
    await page.keyboard.press("Enter");
    await page.getByText("Invalid email format!").waitFor();
    await page.getByLabel("E-Mail").fill(reader.email);
    await page.keyboard.press("Enter");
    await page.getByLabel("Password", { exact: true }).fill("short");
    expect(await page.getByRole("button", { name: "Continue" }).isDisabled()).toBe(true);
    await page.getByLabel("Password", { exact: true }).fill(reader.password);
    await page.getByText("Password looks good!").waitFor();
    await audit(page, "signup, password");
    await screenshot(page, "signup-1440");
    await page.keyboard.press("Enter");
    await page.getByLabel("Confirm password", { exact: true }).fill(reader.password);
    await page.keyboard.press("Enter");
    await page.getByLabel("Username").fill(reader.username);
    await page.getByRole("button", { name: "Register" }).click();
    await page.waitForURL("**/verify");
  });

  it("verifies with the code from the mail", async () => {
    const { page } = house;
    const code = await codeFor(reader.email);
    await audit(page, "verify");
    await page.getByLabel("Enter code").fill(code);
    await page.getByRole("button", { name: "Submit" }).click();
    await page.waitForURL("**/login");
  });

  it("logs in", async () => {
    const { page } = house;
    await audit(page, "login");
    await page.getByLabel("E-Mail").fill(reader.email);
    await page.getByLabel("Password", { exact: true }).fill(reader.password);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/for-you");
    await page.locator(".bill-art img").first().waitFor();
    await audit(page, "for you");
  });

  it("searches among the results it could not see before", async () => {
    const { page } = house;
    await page.goto("/search");
    await page.locator("main .bill-name").nth(3).waitFor();
    await searchField().fill(SOMEONE);
    await expect.poll(foundNames, { timeout: PATIENCE_MS }).toEqual([SOMEONE]);
    await audit(page, "search");
    await screenshot(page, "search-1440");
  });

  it("opens a chat with its greeting and says which engine plays", async () => {
    const { page } = house;
    await page.goto(`${characterPath}/chat`);
    await bubble().waitFor();
    await quiet();
    expect((await words()).length).toBeGreaterThan(20);
    expect(await page.getByText(OFFLINE_LABEL, { exact: true }).count()).toBe(OFFLINE ? 1 : 0);
    await page.getByText("is an AI. This is fiction.").waitFor();
    await audit(page, "chat");
  });

  it("streams a reply", async () => {
    await say("Good evening. What is the name of this place?");
    await ownTurns().filter({ hasText: "What is the name of this place?" }).waitFor();
    await expect.poll(() => turns().count(), { timeout: PATIENCE_MS }).toBe(2);
    await quiet();
    const reply = await words();
    expect(reply.length).toBeGreaterThan(10);
    if (!OFFLINE) expect(reply).toContain(TEST_MODEL);
    await screenshot(house.page, "chat-1440");
  });

  it("stops when asked, and keeps what was written", async () => {
    const { page } = house;
    await say("Tell me, slow and with every detail, how you came here.");
    await expect.poll(() => turns().count(), { timeout: PATIENCE_MS }).toBe(3);
    await bubble()
      .filter({ hasText: /\w+ \w+ / })
      .waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await lastTurn().locator('[data-state="stopped"]').waitFor();
    await quiet();
    expect((await words()).trim().length).toBeGreaterThan(0);
    await page.getByText("You stopped here.").waitFor();
    await audit(page, "chat, stopped");
  });

  it("continues", async () => {
    const { page } = house;
    const before = (await history()).join("\n").length;
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await quiet();
    expect((await history()).join("\n").length).toBeGreaterThan(before);
  });

  it("shows the same history after a reload", async () => {
    const { page } = house;
    const before = await history();
    await page.reload();
    await bubble().waitFor();
    await expect.poll(history, { timeout: PATIENCE_MS }).toEqual(before);
  });

  it("goes on with a reply that was being written when the page was reloaded", async () => {
    const { page } = house;
    const count = await turns().count();
    await say("And then? Again slow, please.");
    await expect.poll(() => turns().count(), { timeout: PATIENCE_MS }).toBe(count + 1);
    await bubble()
      .filter({ hasText: /\w+ \w+ / })
      .waitFor();
    const seen = (await words()).slice(0, 8);
    await page.reload();
    await expect.poll(() => turns().count(), { timeout: PATIENCE_MS }).toBe(count + 1);
    await bubble().filter({ hasText: seen }).waitFor();
    await quiet();
    const whole = await words();
    expect(whole.slice(0, seen.length)).toBe(seen);
    expect(await lastTurn().locator(".trouble").count()).toBe(0);
    await page.reload();
    await bubble().waitFor();
    await expect.poll(words, { timeout: PATIENCE_MS }).toBe(whole);
  });

  it("keeps a line that could not be sent", async () => {
    const { page, context, complaints } = house;
    const count = await ownTurns().count();
    await context.setOffline(true);
    await say("Can you hear me?");
    await expect.poll(() => composer().inputValue(), { timeout: PATIENCE_MS }).toBe("Can you hear me?");
    expect(await ownTurns().count()).toBe(count);
    await context.setOffline(false);
    await composer().press("Enter");
    await expect.poll(() => ownTurns().count(), { timeout: PATIENCE_MS }).toBe(count + 1);
    await quiet();
    // The browser itself reports every request that a lost connection ended; that is what was tested.
    const kept = complaints.filter((text) => !/ERR_INTERNET_DISCONNECTED|ERR_NETWORK/.test(text));
    complaints.splice(0, complaints.length, ...kept);
    await page.getByRole("button", { name: "Continue" }).waitFor();
  });

  it.runIf(!OFFLINE)("keeps the words of a reply that the model broke off, and says so", async () => {
    const { page } = house;
    const count = await turns().count();
    await say("fault:early-end please");
    await expect.poll(() => turns().count(), { timeout: PATIENCE_MS }).toBe(count + 1);
    await lastTurn().locator('[data-state="failed"], [data-state="interrupted"]').waitFor();
    await quiet();
    expect(await words()).toContain("The test model");
    await page.getByRole("button", { name: "Continue" }).waitFor();
    await audit(page, "chat, failed");
    await screenshot(page, "chat-failed-1440");
    const before = await history();
    await page.reload();
    await bubble().waitFor();
    await expect.poll(history, { timeout: PATIENCE_MS }).toEqual(before);
    await lastTurn().locator('[data-state="failed"], [data-state="interrupted"]').waitFor();
  });

  it("lists the chat", async () => {
    const { page } = house;
    await page.goto("/chats");
    await page.locator(`.chat-item[href^="${characterPath}/chat"]`).waitFor();
    await audit(page, "chats");
  });

  it("keeps the makers' rooms for members", async () => {
    const { page } = house;
    await page.goto("/image/create");
    await page.getByRole("link", { name: "Subscribe" }).waitFor();
    await audit(page, "create image, locked");
  });

  it("buys Premium through the sandbox checkout, and the profile shows it", async () => {
    const { page } = house;
    await page.goto("/membership");
    await page.getByRole("button", { name: /^The stalls Premium/ }).click();
    await audit(page, "membership");
    await screenshot(page, "membership-1440");
    await page.getByRole("button", { name: "Go to checkout" }).click();
    await page.waitForURL("**/sandbox/checkout/**");
    await audit(page, "sandbox checkout");
    await page.getByRole("button", { name: /^Pay \$/ }).click();
    await page.waitForURL("**/membership**");
    await page.getByText("Checkout was successful!").waitFor();
    await page.goto("/account");
    const premium = page.locator(".choice label", { hasText: "Premium" });
    await premium.getByText("Current plan").waitFor();
    await page
      .getByText(/days left/)
      .first()
      .waitFor();
    await audit(page, "account");
    await screenshot(page, "account-1440");
  });

  it("creates an image that appears in the gallery without a reload", async () => {
    const { page } = house;
    await page.goto("/image/create");
    await page
      .getByLabel("Prompt", { exact: true })
      .fill("A detective under a streetlamp, collar up, rain on the brim of her hat.");
    await page.getByLabel("Label", { exact: true }).fill("Collar up");
    await audit(page, "create image");
    const stayed = await markPage(page);
    await page.getByRole("button", { name: "Create Image" }).click();
    await page.getByText("Image is queued up! You can view it in your gallery soon.").waitFor();
    await page.waitForURL("**/my-images");
    const shot = page.locator('.shot[data-state="completed"]', { hasText: "Collar up" });
    await shot.waitFor();
    await expect
      .poll(() => shot.locator("img").evaluate((img: HTMLImageElement) => img.naturalWidth), {
        timeout: PATIENCE_MS,
      })
      .toBeGreaterThan(100);
    expect(await stayed(), "the page was not reloaded").toBe(true);
    await audit(page, "my images");
    await screenshot(page, "my-images-1440");
    await shot.getByRole("button", { name: "Enlarge Collar up" }).click();
    await page.getByRole("dialog").locator("img").waitFor();
  });

  const fillCard = async (name: string) => {
    const { page } = house;
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByRole("textbox", { name: "Tags" }).fill("Female");
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "Tags" }).fill("books");
    await page.keyboard.press("Enter");
    await page
      .getByLabel("Description")
      .fill("A prompter who knows every line in the house, including yours.");
    await page.getByLabel("Personality").fill("Patient, exact, a little dry.");
    await page.getByLabel("First message").fill('*She moves her lamp two inches.* "You are late. Sit down."');
    await page.getByLabel("Scenario").fill("Opening night, below the stage.");
  };
  /** Waits for the page of the new character and for its portrait there. */
  const portraitArrives = async (name: string) => {
    const { page } = house;
    await page.getByText("Character created successfully!").waitFor();
    await page.waitForURL(/\/character\/[0-9a-f-]{36}$/);
    await page.getByRole("heading", { level: 1, name }).waitFor();
    const stayed = await markPage(page);
    const portrait = page.locator(".char-poster img");
    await portrait.waitFor();
    await expect
      .poll(() => portrait.evaluate((img: HTMLImageElement) => img.naturalWidth), { timeout: PATIENCE_MS })
      .toBeGreaterThan(200);
    expect(await stayed(), "the page was not reloaded").toBe(true);
  };

  it("creates a character with an uploaded image", async () => {
    const { page } = house;
    await page.goto("/character/create");
    await fillCard("Odile Prompt");
    await page.getByLabel("Age", { exact: true }).fill("17");
    await page.getByRole("button", { name: "Create Character" }).click();
    await page.locator("form").getByText("Minimum age is 18").waitFor();
    await page.getByLabel("Age", { exact: true }).fill("41");
    await page.getByLabel("Character image").setInputFiles({
      name: "odile.png",
      mimeType: "image/png",
      buffer: makePng(600, 800),
    });
    await audit(page, "create character");
    await page.getByRole("button", { name: "Create Character" }).click();
    await portraitArrives("Odile Prompt");
    await audit(page, "own character");
  });

  it("edits the character, also after a reload", async () => {
    const { page } = house;
    const id = new URL(page.url()).pathname.split("/").at(-1);
    await page.goto(`/character/edit?id=${id}`);
    const description = page.getByLabel("Description", { exact: true });
    await expect.poll(() => description.inputValue(), { timeout: PATIENCE_MS }).toContain("A prompter");
    expect(await page.getByLabel("Personality").inputValue()).toBe("Patient, exact, a little dry.");
    await description.fill("A prompter who has learned a new line.");
    await page.getByRole("button", { name: "Save Character" }).click();
    await page.getByText("Character updated successfully!").waitFor();
    await page.waitForURL(`**/character/${id}`);
    await page.getByText("A prompter who has learned a new line.").first().waitFor();
  });

  it("creates a character whose portrait is drawn", async () => {
    const { page } = house;
    await page.goto("/character/create");
    await page.getByRole("button", { name: "Generate" }).click();
    await fillCard("Maud Lantern");
    await page.getByLabel("Prompt", { exact: true }).fill("A lamplighter in a long coat, a city at night.");
    await audit(page, "create character, generate");
    await page.getByRole("button", { name: "Create Character" }).click();
    await portraitArrives("Maud Lantern");
    await screenshot(page, "own-character-1440");
  });

  it("stands at every width", async () => {
    const { page } = house;
    for (const width of [390, 768]) {
      await page.setViewportSize({ width, height: 844 });
      for (const path of ["/", "/membership", "/account", "/my-images", `${characterPath}/chat`]) {
        await page.goto(path);
        await page.locator("h1").first().waitFor();
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(wide, `${path} is wider than ${width} px`).toBeLessThanOrEqual(0);
        await audit(page, `${path} at ${width}`);
      }
    }
    await screenshot(page, "chat-768");
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it("never made the browser complain", () => {
    expect(house.complaints, `complaints at ${HOUSE}`).toEqual([]);
  });
});
