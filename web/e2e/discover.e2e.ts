import { isDeepStrictEqual } from "node:util";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audit, PATIENCE_MS, screenshot, undo, type Visit, visit } from "./house";
import { become } from "./member";
import { ask, join, logIn, ok, type Person, subscribe } from "./people";

/** What people discover: home, lists, search, categories, characters, creators, and what they do not want to see. */

/** Characters of the seeds. */
const SOMEONE = "Vesper Lang";
const HER_CREATOR = "velvetfox";
/** So many names of a list say which list it is. */
const FIRST = 4;
const LOCK = "Sign in to unlock characters";

let house: Visit;
let free: Person;
let writer: Person;
let someone = "";
let nsfwId = "";
/** The writer's own character. */
let ownId = "";
const OWN_NAME = "Odette Marlow";

const CARD = {
  name: OWN_NAME,
  age: "34",
  tags: '["female","detective"]',
  description: "A locksmith who opens the doors that people forgot they had. Never without her lamp.",
  personality: "Dry, patient, polite.",
  firstMessage: "*She turns the key.* After you.",
  scenario: "A corridor with too many doors.",
  exampleConversation: "",
  nsfw: "false",
  public: "true",
  generateMode: "true",
  "imageGeneration[gender]": "female",
  "imageGeneration[age]": "30s",
  "imageGeneration[prompt]": "a locksmith with a lamp",
};

beforeAll(async () => {
  house = await visit();
});
afterAll(async () => {
  await house?.browser.close();
});

/** Opens the house as somebody, or as a visitor, in a window of their own. */
async function as(person: Person | null): Promise<Page> {
  for (const old of house.context.pages()) await old.close();
  const page = await house.context.newPage();
  await become(page, person);
  return page;
}

const cards = (page: Page) => page.locator("main .bill:not(.skeleton)");
const namesIn = (part: Locator) =>
  part.locator(".bill-name").evaluateAll((all) => all.map((name) => name.firstChild?.textContent ?? ""));
const names = (page: Page) => namesIn(page.locator("main"));
const toast = (page: Page, text: string | RegExp) =>
  page.getByRole("region", { name: "Messages" }).getByText(text);

it("has a reader without a plan, and a creator with a character", async () => {
  free = await join("finder");
  writer = await join("locksmith");
  await subscribe(writer, "premium");
  const found = (await ok("GET", "/api/search?limit=100")).characters;
  someone = found.find((c: { name: string }) => c.name === SOMEONE)._id;
  nsfwId = found.find((c: { nsfw: boolean }) => c.nsfw)._id;
  const made = await ok("POST", "/api/create", { token: writer.token, form: CARD });
  ownId = made.character._id;
});

describe("a visitor", () => {
  let page: Page;
  beforeAll(async () => {
    page = await as(null);
  });

  it("sees the house, but not what is for members", async () => {
    await page.goto("/");
    await page.getByRole("heading", { name: "Discover our AI Characters" }).waitFor();
    await cards(page).first().waitFor();
    expect(await page.getByRole("heading", { name: "Trending Characters" }).count()).toBe(0);
    expect(await page.getByRole("region", { name: "Explore" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: /^More about/ }).count()).toBe(0);
  });

  it("finds tag lists and search locked, and comes back after login", async () => {
    await page.goto("/tag/elf");
    await page.getByRole("heading", { level: 1, name: "Elf AI Characters for Roleplay Chat" }).waitFor();
    await page.getByRole("heading", { name: LOCK }).waitFor();
    await page.locator("main [inert] .bill:not(.skeleton)").first().waitFor({ state: "attached" });
    await audit(page, "tag list, visitor");
    await screenshot(page, "tag-locked-1440");
    await page.locator("main").getByRole("link", { name: "Login" }).click();
    await page.waitForURL("**/login");
    await page.getByLabel("E-Mail").fill(free.email);
    await page.getByLabel("Password", { exact: true }).fill(free.password);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/tag/elf");
    expect(await page.getByRole("heading", { name: LOCK }).count()).toBe(0);
    page = await as(null);
  });

  it("is sent to the login from what belongs to members", async () => {
    for (const path of ["/for-you", "/favorites", "/following", "/my-characters"]) {
      await page.goto(path);
      await page.waitForURL("**/login");
    }
  });

  it("reads categories with their counts and jumps between them", async () => {
    await page.goto("/categories");
    await page.getByRole("link", { name: /^Female\s*\d+ characters$/ }).waitFor();
    expect(await page.locator("main").getByRole("link", { name: /^NSFW/ }).count()).toBe(0);
    await page.getByRole("button", { name: "Show more" }).click();
    await page
      .getByRole("navigation", { name: "Jump to category" })
      .getByRole("link", { name: "Religion" })
      .click();
    await expect.poll(() => page.url()).toMatch(/#religion$/);
  });

  it("finds an NSFW character behind the curtain, and the login behind Show", async () => {
    await page.goto(`/character/${nsfwId}`);
    await page.getByText("XXX").waitFor();
    await page.getByRole("button", { name: /^Show/ }).click();
    await page.waitForURL("**/login");
  });

  it("looks a report up by its number, and hears that there is none", async () => {
    await page.goto("/reports");
    await page.getByRole("heading", { name: "Sign in to see your reports" }).waitFor();
    await audit(page, "reports, visitor");
    await page.getByLabel("A number from a receipt or a decision").fill("TR-NOSUCHNUMBER00");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "No such number" }).waitFor();
  });
});

describe("a free member", () => {
  let page: Page;
  beforeAll(async () => {
    free.token = await logIn(free);
    page = await as(free);
  });

  it("explores from the home page, where order and tags are theirs to choose", async () => {
    await page.goto("/");
    await page.getByRole("heading", { name: "Trending Characters" }).waitFor();
    const explore = page.getByRole("region", { name: "Explore" });
    await explore.getByRole("button", { name: "Male", exact: true }).click();
    await explore.getByRole("button", { name: /^Sort by/ }).click();
    await page.getByRole("menuitemradio", { name: "New" }).click();
    const shown = () => namesIn(explore).then((all) => all.slice(0, FIRST));
    const asked = `/api/search?tags=male&sort=new&page=1&limit=${FIRST}`;
    // Others are written meanwhile: what is newest is asked each time.
    const newest = async (): Promise<string[]> =>
      (await ok("GET", asked, { token: free.token })).characters.map((c: { name: string }) => c.name);
    await expect
      .poll(async () => [await shown(), await newest()], { timeout: PATIENCE_MS })
      .toSatisfy(([here, there]) => there.length > 0 && isDeepStrictEqual(here, there));
    await explore.getByRole("link", { name: "discover new characters" }).waitFor();
    await audit(page, "home, member");
    await screenshot(page, "home-member-1440");
  });

  it("searches by words and tags, finds nobody, and begins again", async () => {
    await page.goto("/search");
    const field = page.getByPlaceholder("A name, a tag, a mood");
    await field.fill(SOMEONE);
    await page.getByText("1 character", { exact: true }).waitFor();
    await expect.poll(() => names(page)).toEqual([SOMEONE]);
    await page.getByRole("button", { name: /^Show \d+ more$/ }).click();
    await page.getByRole("button", { name: "Detective", exact: true }).click();
    await page.getByRole("heading", { name: "Nobody answers to that" }).waitFor();
    await expect.poll(() => page.url()).toContain("tags=detective");
    await audit(page, "search, nobody");
    await page.getByRole("button", { name: "Show everyone" }).click();
    await cards(page).first().waitFor();
    expect(await field.inputValue()).toBe("");
  });

  it("pages a tag list by scrolling", async () => {
    await page.goto("/tag/female");
    await cards(page).first().waitFor();
    const first = await cards(page).count();
    await page.mouse.wheel(0, 10_000);
    await expect.poll(() => cards(page).count(), { timeout: PATIENCE_MS }).toBeGreaterThan(first);
    await page.goto("/tag/no-such-tag");
    await page.getByRole("heading", { name: "It's a bit empty here" }).waitFor();
  });

  it("follows a character and a creator, and finds both again", async () => {
    for (const path of ["/favorites", "/following"]) {
      await page.goto(path);
      await page.getByRole("heading", { name: "It's a bit empty here" }).waitFor();
    }
    await page.goto(`/character/${someone}`);
    await page.getByRole("button", { name: "Follow", exact: true }).click();
    await page.getByRole("button", { name: "Following", exact: true }).waitFor();
    await page.goto(`/creator/${HER_CREATOR}`);
    await page.getByRole("button", { name: "Follow", exact: true }).click();
    await page.getByRole("button", { name: "Unfollow", exact: true }).waitFor();
    await page.getByRole("tab", { name: "Followers" }).click();
    await page.getByRole("tabpanel").getByRole("link", { name: free.username }).waitFor();
    await audit(page, "creator, followers");
    await page.goto("/favorites");
    await page.getByRole("link", { name: SOMEONE }).waitFor();
    await page.goto("/following");
    await page.getByRole("navigation", { name: "Creators you follow" }).getByText(HER_CREATOR).waitFor();
    await cards(page).first().waitFor();
    await screenshot(page, "following-1440");
    await page.goto("/for-you");
    await cards(page).first().waitFor();
  });

  it("likes, reviews, takes the review back and puts it there again", async () => {
    await page.goto(`/character/${someone}`);
    const like = page.getByRole("button", { name: /^Like/ });
    await like.click();
    await expect.poll(() => like.getAttribute("aria-pressed")).toBe("true");
    // In words of their own: a house that is tested again has the reviews of those who came before.
    const line = `She remembered what ${free.username} ordered.`;
    await page.getByLabel("Your review").fill(line);
    await page.getByText("4 stars", { exact: true }).click({ force: true });
    await page.getByRole("button", { name: "Post review" }).click();
    const review = page.locator("article.review", { hasText: line });
    await review.waitFor();
    await review.getByRole("button", { name: "Delete your review" }).click();
    await toast(page, "Your review is deleted.").waitFor();
    await review.waitFor({ state: "detached" });
    await undo(page);
    await review.waitFor();
    for (const tab of ["AI Image Generator", "Memories"]) {
      await page.getByRole("tab", { name: tab }).click();
    }
  });

  it("blocks from a card's menu, and takes it back", async () => {
    await page.goto(`/search?keywords=${encodeURIComponent(SOMEONE)}`);
    await page.getByRole("button", { name: `More about ${SOMEONE}` }).click();
    await page.getByRole("menuitem", { name: "Block this character" }).waitFor();
    await audit(page, "menu of a card");
    await page.getByRole("menuitem", { name: "Block this character" }).click();
    await toast(page, `${SOMEONE} is blocked.`).waitFor();
    expect(await names(page)).toEqual([]);
    const status = async () => (await ask("GET", `/api/character/${someone}`, { token: free.token })).status;
    await expect.poll(status, { timeout: PATIENCE_MS }).toBe(404);
    // Its own page says why it is closed.
    await page.goto(`/character/${someone}`);
    await page.getByRole("heading", { level: 1, name: `You have blocked ${SOMEONE}` }).waitFor();
    await page.getByRole("button", { name: "Unblock" }).click();
    await page.getByRole("heading", { level: 1, name: SOMEONE }).waitFor();
    await page.goto("/tag/politics");
    await page.getByRole("button", { name: "Block this tag" }).click();
    await page.getByRole("heading", { name: "You have blocked Politics" }).waitFor();
    await audit(page, "blocked tag");
    await undo(page);
    await cards(page).first().waitFor();
    // The cards are back before the server knows.
    await expect
      .poll(async () => (await ok("GET", "/api/blocks", { token: free.token })).blocks, {
        timeout: PATIENCE_MS,
      })
      .toEqual([]);
  });

  it("reports with a reason, gets a number, and follows it", async () => {
    await page.goto(`/character/${someone}`);
    await page.getByRole("button", { name: `More about ${SOMEONE}` }).click();
    await page.getByRole("menuitem", { name: "Report" }).click();
    const dialog = page.getByRole("dialog", { name: `Report ${SOMEONE}` });
    await dialog.getByRole("button", { name: "Send report" }).click();
    await dialog.getByText("Choose a reason.").waitFor();
    await audit(page, "report");
    await dialog.getByLabel("Spam, or not what it says it is").check();
    await dialog.getByLabel("Tell us more").fill("A test report that says where to look.");
    await dialog.getByRole("button", { name: "Send report" }).click();
    const receipt = page.getByRole("dialog", { name: "We have your report" });
    const number = (await receipt.locator(".receipt-number").textContent()) ?? "";
    expect(number).toMatch(/^TR-/);
    await audit(page, "receipt");
    await receipt.getByRole("link", { name: "Follow it" }).click();
    await page.getByRole("heading", { level: 1, name: new RegExp(SOMEONE) }).waitFor();
    await page.getByText(/^To be decided by/).waitFor();
    await page.goto("/reports");
    await page.getByRole("link", { name: new RegExp(number) }).waitFor();
    await audit(page, "my reports");
  });

  it("lifts the curtain after saying their age, and lets it down again", async () => {
    await page.goto(`/character/${nsfwId}`);
    await page.getByRole("button", { name: /^Show/ }).click();
    const age = page.getByRole("dialog", { name: "Confirm your age" });
    await age.getByRole("button", { name: "Go back" }).click();
    await page.getByText("XXX").waitFor();
    await page.getByRole("button", { name: /^Show/ }).click();
    await age.getByRole("button", { name: "I'm over 18" }).click();
    await page.getByRole("link", { name: "Chat", exact: true }).waitFor();
    await page.getByRole("switch", { name: "Show NSFW characters" }).click();
    await page.getByText("XXX").waitFor();
  });

  it("cannot create: the door to it is the membership", async () => {
    await page.goto("/my-characters");
    await page.locator("main").getByRole("link", { name: "Create a Character" }).click();
    await page.waitForURL("**/character/create");
    await page.getByRole("link", { name: "Subscribe" }).waitFor();
  });
});

describe("a creator", () => {
  let page: Page;
  beforeAll(async () => {
    page = await as(writer);
  });

  it("deletes a character, undoes it, deletes it again and restores it later", async () => {
    await page.goto("/my-characters");
    const card = page.locator("main .bill", { hasText: OWN_NAME });
    await card.getByRole("button", { name: `Delete ${OWN_NAME}` }).click();
    await toast(page, `${OWN_NAME} is deleted.`).waitFor();
    await page.getByRole("heading", { name: "Deleted" }).waitFor();
    expect(await card.count()).toBe(0);
    await undo(page);
    await card.waitFor();
    await card.getByRole("button", { name: `Delete ${OWN_NAME}` }).click();
    await page.getByRole("heading", { name: "Deleted" }).waitFor();
    await page.goto("/my-characters");
    await page.getByRole("button", { name: `Restore ${OWN_NAME}` }).waitFor();
    await audit(page, "my characters, deleted");
    await screenshot(page, "my-characters-deleted-1440");
    await page.getByRole("button", { name: `Restore ${OWN_NAME}` }).click();
    await card.waitFor();
  });

  it("has a page of their own, with their address, their badge and no Follow", async () => {
    await page.goto(`/creator/${writer.username}`);
    await page.locator("main").getByText(writer.email).waitFor();
    await page.locator("main").getByText("Creator", { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Follow", exact: true }).count()).toBe(0);
    for (const tab of ["Followers", "Following", "Achievements"]) {
      await page.getByRole("tab", { name: tab }).click();
      await expect.poll(() => page.url()).toContain(`tab=${tab.toLowerCase()}`);
    }
    await page.goto(`/character/${ownId}`);
    await page.getByRole("link", { name: "Edit", exact: true }).waitFor();
    expect(await page.getByLabel("Your review").count()).toBe(0);
  });

  it("stands among the best, on the podium or in the table", async () => {
    await page.goto("/top-creators");
    for (const tab of ["Most Engaging", "Trending Creators", "Most Followers"]) {
      await page.getByRole("tab", { name: tab }).click();
      await expect.poll(() => page.locator(".podium > li").count()).toBe(3);
      const rows = await page.locator(".board tbody tr").count();
      expect(rows).toBeGreaterThan(3);
      expect(rows).toBeLessThanOrEqual(24);
    }
    await audit(page, "top creators");
  });
});
