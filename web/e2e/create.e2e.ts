import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audit, PATIENCE_MS, screenshot, undo, type Visit, visit } from "./house";
import { become } from "./member";
import { join, type Person, subscribe } from "./people";
import { makePng } from "./png";

/** Making things, the frame around every page, and the small print. Each test goes on where the one before ended. */
let house: Visit;
let member: Person;
let free: Person;

beforeAll(async () => {
  house = await visit();
});
afterAll(async () => {
  await house?.browser.close();
});

/** The browser is this person's from here on; null: a visitor's. */
const be = (person: Person | null) => become(house.page, person);

/** Longest a picture may take: the engine has other work, ms. */
const DRAWING_MS = 60_000;

const heading = (name: string | RegExp) => house.page.getByRole("heading", { level: 1, name });
const said = (text: string) => house.page.getByText(text, { exact: true }).first().waitFor();
const NO_IMAGE = "Please upload an image or select generate mode for the character's image!";

/** Looks at a page as axe does, and takes its picture on a desk and on a phone, whose edge it must not cross. */
async function lookAt(page: Page, name: string): Promise<void> {
  await audit(page, name);
  await screenshot(page, `${name}-1440`);
  await page.setViewportSize({ width: 390, height: 844 });
  await screenshot(page, `${name}-390`);
  const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(sideways, `${name} runs over the edge of a phone`).toBeLessThanOrEqual(0);
  await page.setViewportSize({ width: 1440, height: 900 });
}

describe("the frame", () => {
  it("is opened by a member, by one who pays nothing, and by a visitor", async () => {
    member = await join("maker");
    free = await join("looker");
    await subscribe(member, "premium");
  });

  it("has the promotion, the navigation and every link of the footer", async () => {
    const { page } = house;
    await be(null);
    await page.goto("/about");
    await heading(/About/).waitFor();
    await page.getByText("SPOOKYSZN").waitFor();
    expect(await page.getByRole("timer").textContent()).toMatch(/^12:1[56]:\d\d$/);
    const nav = page.getByRole("navigation", { name: "Main" });
    expect(await nav.getByRole("link", { name: "NSFW" }).count()).toBe(0);
    expect(await nav.locator(".tags a").count()).toBe(66);
    const footer = page.getByRole("contentinfo");
    for (const [name, path] of [
      ["AI Chat", "/tag/nsfw"],
      ["AI Girlfriends", "/tag/female"],
      ["AI Boyfriends", "/tag/male"],
      ["Image Generator", "/image/create"],
      ["Legal", "/legal"],
      ["Community Guidelines", "/legal/guidelines"],
      ["Content removal", "/legal/content-removal"],
    ]) {
      expect(await footer.getByRole("link", { name, exact: true }).getAttribute("href")).toBe(path);
    }
    await footer.getByRole("button", { name: "Become an Affiliate" }).click();
    await said("Affiliate program coming soon!");
  });

  it("asks for the age before it shows NSFW, and tells how to install", async () => {
    const { page } = house;
    const nsfw = page.getByRole("switch", { name: "Show NSFW characters" });
    await nsfw.click();
    await page.getByRole("dialog", { name: "Confirm your age" }).waitFor();
    await audit(page, "age confirmation");
    await page.getByRole("button", { name: "Go back" }).click();
    expect(await nsfw.getAttribute("aria-checked")).toBe("false");
    await nsfw.click();
    await page.getByRole("button", { name: "I'm over 18" }).click();
    await expect.poll(() => nsfw.getAttribute("aria-checked")).toBe("true");
    await nsfw.click();
    await expect.poll(() => nsfw.getAttribute("aria-checked")).toBe("false");
    await page.getByRole("button", { name: "Download" }).click();
    await page.getByRole("dialog", { name: "Install App" }).getByText("Add to Home Screen").waitFor();
    await page.keyboard.press("Escape");
  });

  it("folds into a bar and a drawer on a phone", async () => {
    const { page } = house;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole("navigation", { name: "Shortcuts" }).waitFor();
    await page.getByRole("button", { name: "Menu" }).click();
    const drawer = page.getByRole("dialog", { name: "Menu" });
    await drawer.getByRole("link", { name: "Sign Up" }).waitFor();
    await audit(page, "drawer");
    await drawer.getByRole("link", { name: "Top Creators" }).click();
    await page.waitForURL("**/top-creators");
    await drawer.waitFor({ state: "detached" });
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it("says so where there is no page", async () => {
    const { page } = house;
    await page.goto("/nowhere/at-all");
    await heading("No such page").waitFor();
    await audit(page, "not found");
    await page.goto("/legal/nothing");
    await heading("No such policy").waitFor();
  });
});

describe("the small print", () => {
  it("is there in full", async () => {
    const { page } = house;
    await page.goto("/legal");
    await heading("Legal").waitFor();
    const links = page.getByRole("main").locator(".policies a");
    const titles = await links.locator("b").allTextContents();
    expect(titles).toHaveLength(9);
    for (const [index, title] of titles.entries()) {
      await links.nth(index).click();
      await heading(title).waitFor();
      await page.getByText(/^In force since .* Last updated/).waitFor();
      await page.getByRole("main").getByRole("link", { name: "Legal", exact: true }).click();
      await heading("Legal").waitFor();
    }
    await page.goto("/legal/terms");
    await heading("Terms of Use").waitFor();
    await lookAt(page, "terms");
  });

  it("takes a complaint and gives a receipt", async () => {
    const { page } = house;
    await page.goto("/complaint");
    await page.getByRole("button", { name: "Send complaint" }).click();
    await said("Your name is needed.");
    await page.getByLabel("Your name").fill("Ada Wren");
    await page.getByLabel("E-Mail").fill("ada@example.com");
    await page.getByLabel("What is it about?").fill("The clock in the banner");
    await page.getByLabel("What happened?").fill("It began again while I was looking at it.");
    // Nothing comes back: what was written stays, and the same press sends it once the line is there again.
    await page.route("**/api/complaint", (route) => route.abort());
    await page.getByRole("button", { name: "Send complaint" }).click();
    await said("It could not be sent. Please try again.");
    await page.unroute("**/api/complaint");
    await page.getByRole("button", { name: "Send complaint" }).click();
    const receipt = page.getByTestId("receipt");
    await receipt.getByText(/^TR-[0-9A-Z]+$/).waitFor();
    await lookAt(page, "receipt");
  });

  it("takes a request for removal, with the picture", async () => {
    const { page } = house;
    await page.goto("/legal/content-removal");
    await page.getByRole("button", { name: "An intimate image of me" }).click();
    await page.getByLabel("Your name").fill("Ada Wren");
    await page.getByLabel("E-Mail").fill("ada@example.com");
    await page.getByLabel("What should we know?").fill("I did not agree to this.");
    await page
      .getByLabel("The picture", { exact: true })
      .setInputFiles({ name: "me.png", mimeType: "image/png", buffer: Buffer.from(makePng(96, 128)) });
    await page.getByRole("main").getByRole("button", { name: "Ask for removal" }).click();
    await page.getByTestId("receipt").getByText(/^TR-/).waitFor();
    await page.getByText("It is decided within 48 hours.", { exact: false }).waitFor();
  });
});

describe("what only members make", () => {
  it.each([
    ["a visitor", () => null],
    ["a free member", () => free],
  ])("is out of reach of %s", async (_, who) => {
    const { page } = house;
    await be(who());
    for (const path of ["/character/create", "/image/create"]) {
      await page.goto(path);
      const subscribeLink = page.getByRole("main").getByRole("link", { name: "Subscribe" });
      await subscribeLink.waitFor();
      expect(await subscribeLink.getAttribute("href")).toBe("/membership");
      const send = page.locator('main button[type="submit"]').first();
      expect(await send.evaluate((button) => button.closest("[inert]") !== null)).toBe(true);
    }
    await audit(page, "locked");
    await page.goto("/my-images");
    await page.getByText(who() ? "It's a bit empty here" : "Your gallery is behind the door").waitFor();
  });
});

const CARD = {
  spec: "chara_card_v2",
  spec_version: "2.0",
  data: {
    name: "Isolde Maren",
    description: "Keeps the lighthouse and answers every letter.",
    personality: "Patient and dry.",
    scenario: "A storm, and stairs.",
    first_mes: '*She sets down the lamp.* "You came up all those stairs."',
    mes_example: "",
    creator_notes: "",
    system_prompt: "",
    post_history_instructions: "",
    alternate_greetings: ["*Rain on the glass.*"],
    tags: ["female", "Historical"],
    creator: "velvetfox",
    character_version: "1",
    extensions: {},
    character_book: {
      name: "The tower",
      extensions: {},
      entries: [
        { keys: ["lamp"], content: "Made in Ostend.", extensions: {}, enabled: true, insertion_order: 1 },
      ],
    },
  },
};

describe("a character", () => {
  it("begins as a card, survives a reload as a draft, and is drawn", async () => {
    const { page } = house;
    await be(member);
    await page.goto("/character/create");
    await heading("Create a character").waitFor();
    await page.getByLabel("Character card").setInputFiles({
      name: "isolde.json",
      mimeType: "application/json",
      buffer: Buffer.from(JSON.stringify(CARD)),
    });
    await page.getByText("A V2 card by velvetfox · 1 alternate greeting · 1 lorebook entry").waitFor();
    await page.getByLabel("Age", { exact: true }).fill("17");
    await page.getByRole("button", { name: "Create Character" }).click();
    await said("Minimum age is 18");
    await page.getByLabel("Age", { exact: true }).fill("41");
    await page.getByRole("button", { name: "Create Character" }).click();
    await said(NO_IMAGE);
    await page.getByLabel("Character image").setInputFiles({
      name: "isolde.png",
      mimeType: "image/png",
      buffer: Buffer.from(makePng(300, 400)),
    });
    await page.getByText("A draft is kept on this device.").waitFor();
    const kept = () => page.evaluate(async () => (await (await caches.open("draft-pictures")).keys()).length);
    await expect.poll(kept).toBe(1);

    await page.reload();
    await page.getByRole("button", { name: "Continue Isolde Maren" }).click();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Isolde Maren");
    expect(await page.getByLabel("Alternate greeting 1").inputValue()).toBe("*Rain on the glass.*");
    // The picture is back with the words.
    const portrait = page.getByRole("img", { name: "The portrait" });
    await expect.poll(() => portrait.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(300);
    await page.getByRole("button", { name: "Generate", exact: true }).click();
    await page.getByRole("button", { name: "40s" }).click();
    await page.getByLabel("Pose").selectOption({ index: 1 });
    await page.getByText(/10 coins for a portrait/).waitFor();
    await lookAt(page, "character-create-generate");
    await page.getByRole("button", { name: "Create Character" }).click();
    await said("Character created successfully!");
    await page.waitForURL(/\/character\/[0-9a-f-]{36}$/);
    await heading("Isolde Maren").waitFor();
  });

  it("is edited by its owner alone", async () => {
    const { page } = house;
    const id = new URL(page.url()).pathname.split("/").at(-1);
    await page.goto(`/character/edit?id=${id}`);
    await heading("Edit character").waitFor();
    const description = page.getByLabel("Description");
    await expect.poll(() => description.inputValue(), { timeout: PATIENCE_MS }).toMatch(/lighthouse/);
    await description.fill("Keeps the lighthouse, and the logbook.");
    await page.getByLabel("Character image").setInputFiles({
      name: "isolde.png",
      mimeType: "image/png",
      buffer: Buffer.from(makePng(300, 400)),
    });
    await page.getByRole("button", { name: "Save Character" }).click();
    await said("Character updated successfully!");
    await page.waitForURL(`**/character/${id}`);
    await page.getByText("Keeps the lighthouse, and the logbook.").first().waitFor();
    await page.goto("/character/edit");
    await page.waitForURL("**/my-characters");
  });
});

/** The gallery's own call, not that of one picture. */
const PICTURES = /\/api\/images\?/;

describe("pictures", () => {
  it("are ordered, drawn and hung", async () => {
    const { page } = house;
    await be(member);
    await page.goto("/my-images");
    await page.getByText("It's a bit empty here").waitFor();
    await page.goto("/image/create");
    await heading("Create an image").waitFor();
    await page.getByLabel("Prompt").fill("A lighthouse keeper in a red coat, night, rain.");
    await page.getByLabel("Label").fill("Red coat");
    await page.getByRole("button", { name: "30s" }).click();
    await page.getByRole("button", { name: "Create Image" }).click();
    await said("Image is queued up! You can view it in your gallery soon.");
    await page.waitForURL("**/my-images");
    await page.getByRole("button", { name: "Enlarge Red coat" }).waitFor({ timeout: DRAWING_MS });
    await lookAt(page, "my-images");
  });

  it("are labelled, made public, deleted and brought back", async () => {
    const { page } = house;
    await page.getByRole("button", { name: "Enlarge Red coat" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("img", { name: "Red coat" }).waitFor();
    await audit(page, "picture, large");
    await dialog.getByRole("button", { name: "Edit" }).click();
    await dialog.getByLabel("Label").fill("The keeper");
    await dialog.getByRole("switch", { name: /^Public/ }).click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("heading", { name: "The keeper" }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".shot-flag").getByText("Public").waitFor();
    await page.getByRole("button", { name: "What to do with The keeper" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await said("Picture deleted.");
    await page.getByText("It's a bit empty here").waitFor();
    await undo(page);
    await page.getByRole("button", { name: "Enlarge The keeper" }).waitFor();
  });

  it("say so when they cannot be had, and come when asked again", async () => {
    const { page } = house;
    await page.route(PICTURES, (route) => route.abort());
    await page.reload();
    await page.getByRole("alert").getByText("An error occurred while fetching images").waitFor();
    await page.unroute(PICTURES);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("button", { name: "Enlarge The keeper" }).waitFor();
  });
});

describe("personas", () => {
  it("are made, chosen, deleted and brought back", async () => {
    const { page } = house;
    await be(member);
    await page.goto("/personas");
    await heading("Personas").waitFor();
    await page.getByRole("button", { name: "Create New Persona" }).click();
    const dialog = page.getByRole("dialog", { name: "Create New Persona" });
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("A persona needs a name.").waitFor();
    await audit(page, "persona dialog");
    await dialog.getByLabel("Name").fill("Captain Sel");
    await dialog.getByRole("button", { name: "Save" }).click();
    await said("New persona created successfully!");
    await page.getByRole("switch", { name: "Captain Sel is the default persona" }).click();
    await said("Default persona updated successfully!");
    await page.getByRole("button", { name: /^Captain Sel/ }).click();
    await page.getByRole("button", { name: "Delete persona" }).click();
    await said("Persona deleted.");
    await undo(page);
    await page.getByText("No description").waitFor();
  });

  it("are nothing to a visitor", async () => {
    const { page } = house;
    await be(null);
    await page.goto("/personas");
    await page.getByRole("contentinfo").waitFor();
    expect((await page.getByRole("main").textContent())?.trim()).toBe("");
  });

  it("left the console quiet but for the lines that were cut, and the page that is not there", () => {
    const expected = /net::ERR_FAILED|status of 404 .*\/nowhere\/at-all$/;
    expect(house.complaints.filter((complaint) => !expected.test(complaint))).toEqual([]);
  });
});
