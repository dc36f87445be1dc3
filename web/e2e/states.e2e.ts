import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { screenshot, type Visit, visit } from "./house";
import { become } from "./member";
import { join, ok, type Person, subscribe } from "./people";

/** What every screen of discovering and creating shows when there is nothing, no answer, none yet, or no key to it. */

/** Characters of the seeds. */
const SOMEONE = "Vesper Lang";
const HER_CREATOR = "velvetfox";
/** Nobody and nothing in the house is called that. */
const NOBODY = "zzqxwvk";
const EMPTY = "It's a bit empty here";
const NO_LIST = "Failed to fetch characters";
const NO_ROW = "Failed to load characters. Please try again.";

const CARD = {
  name: "Marten Voss",
  age: "44",
  tags: '["male","historical"]',
  description: "Keeps the ledger of a company that was never founded.",
  firstMessage: "*He turns a page.* You are not in here yet.",
  public: "true",
  generateMode: "true",
  "imageGeneration[gender]": "male",
  "imageGeneration[age]": "40s",
  "imageGeneration[prompt]": "a bookkeeper at night",
};

let house: Visit;
let page: Page;
let newcomer: Person;
let writer: Person;
/** What stands for `:name` in an address or a call. */
const found: Record<string, string> = { creator: HER_CREATOR };
const at = (path: string) => path.replace(/:(\w+)/g, (_, name: string) => found[name] ?? "");

beforeAll(async () => {
  house = await visit();
  page = house.page;
});
afterAll(async () => {
  await house?.browser.close();
});

/** Answers a call under `/api` in the house's place, until the function that it returns is called. */
async function answers(call: string, answer: (route: Route) => Promise<void>): Promise<() => Promise<void>> {
  const hit = (url: URL) => url.pathname === `/api/${at(call)}`;
  await page.route(hit, answer);
  return () => page.unroute(hit);
}
const heading = (name: string) => page.getByRole("heading", { name, exact: true }).first();

it("has a newcomer, and somebody who writes", async () => {
  newcomer = await join("newcomer");
  writer = await join("ledger");
  await subscribe(writer, "premium");
  const seeds = (await ok("GET", "/api/search?limit=100")).characters;
  found.someone = seeds.find((c: { name: string }) => c.name === SOMEONE)._id;
  found.nsfw = seeds.find((c: { nsfw: boolean }) => c.nsfw)._id;
  found.own = (await ok("POST", "/api/create", { token: writer.token, form: CARD })).character._id;
  found.her = (await ok("GET", `/api/user/${HER_CREATOR}`, { token: newcomer.token }))._id;
  found.newcomer = newcomer.username;
});

describe("where nothing is yet", () => {
  beforeAll(() => become(page, newcomer));

  it.each([
    ["/favorites", EMPTY],
    ["/following", EMPTY],
    ["/my-characters", EMPTY],
    ["/my-images", EMPTY],
    ["/tag/no-such-tag", EMPTY],
    [`/search?keywords=${NOBODY}`, "Nobody answers to that"],
    ["/creator/:newcomer", EMPTY],
    ["/creator/:newcomer?tab=followers", "No followers yet"],
    ["/creator/:newcomer?tab=following", "Follows nobody yet"],
    ["/character/:own", "No reviews yet"],
    ["/character/:own?tab=memories", "Nothing remembered yet"],
    [`/creator/${NOBODY}`, "Nobody by that name"],
    ["/character/00000000-0000-7000-8000-000000000000", "Nobody by that name"],
  ])("%s says so", async (path, says) => {
    await page.goto(at(path));
    await heading(says).waitFor();
  });

  it.each([
    ["/for-you", "characters/foryou", { characters: [], hasMore: false }],
    ["/top-creators", "creators/top", { creators: [] }],
  ])("%s says so in a house that has nobody", async (path, call, json) => {
    const over = await answers(call, (route) => route.fulfill({ json }));
    await page.goto(path);
    await heading(EMPTY).waitFor();
    await over();
  });

  it("the personas begin with the card that makes one", async () => {
    await page.goto("/personas");
    await page.getByRole("button", { name: "Create New Persona" }).waitFor();
    expect(await page.locator(".persona:not(.new)").count()).toBe(0);
  });

  it("the home page leaves out a row of nobody", async () => {
    const over = await answers("characters/featured", (route) => route.fulfill({ json: { characters: [] } }));
    await page.goto("/");
    await heading("Trending Characters").waitFor();
    await heading("Discover our AI Characters").waitFor({ state: "detached" });
    await over();
  });
});

describe("where the house does not answer", () => {
  beforeAll(() => become(page, writer));

  it.each([
    ["/", "characters/featured", NO_ROW],
    ["/", "search", NO_ROW],
    ["/search", "search", NO_LIST],
    ["/tag/male", "characters/tag/male", NO_LIST],
    ["/for-you", "characters/foryou", "Failed to fetch recommended characters"],
    ["/favorites", "characters/followed", NO_LIST],
    ["/following", "characters/random-from-followed", NO_ROW],
    ["/my-characters", "characters/tag/me", NO_LIST],
    ["/my-characters", "characters/deleted", "Your deleted characters could not be loaded."],
    ["/character/:someone", "character/:someone", "Failed to load character data."],
    ["/character/:someone?tab=memories", "memories", "Failed to load memories. Please try again."],
    ["/character/edit?id=:own", "character/:own", "Failed to load character data."],
    ["/creator/:creator", "user/:creator", "Failed to load profile data."],
    ["/creator/:creator", "characters/tag/me", NO_LIST],
    ["/creator/:creator?tab=followers", "user/:her/followers", "The list could not be loaded."],
    ["/creator/:creator?tab=following", "user/:her/following", "The list could not be loaded."],
    ["/top-creators", "creators/top", NO_ROW],
    ["/my-images", "images", "Failed to fetch images"],
    ["/reports", "reports", "Your reports could not be loaded."],
  ])("%s says that %s failed, and tries again when asked", async (path, call, says) => {
    const over = await answers(call, (route) => route.fulfill({ status: 500, json: { success: false } }));
    await page.goto(at(path));
    await heading(says).waitFor();
    await over();
    await page.getByRole("button", { name: "Try again" }).click();
    await heading(says).waitFor({ state: "detached" });
  });

  it("the categories stand without their counts", async () => {
    const over = await answers("categories", (route) => route.abort());
    await page.goto("/categories");
    await page.getByRole("main").getByRole("link", { name: "Female", exact: true }).waitFor();
    await over();
  });

  it("the forms offer what they know by themselves, and keep what was written", async () => {
    const over = await answers("create", (route) => route.abort());
    await page.goto("/character/create");
    await page.getByLabel("Name", { exact: true }).fill("Ida Quill");
    await page.getByLabel("Description").fill("Writes letters for those who cannot.");
    await page.getByLabel("First message").fill("*She dips the pen.* To whom?");
    await page.getByRole("button", { name: "Generate", exact: true }).click();
    await page.getByRole("button", { name: "30s" }).click();
    await page.getByRole("button", { name: "Create Character" }).click();
    await page.getByText("Error creating/updating character. Please try again.").first().waitFor();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Ida Quill");
    await over();

    const still = await answers("images/create", (route) => route.abort());
    await page.goto("/image/create");
    await page.getByLabel("Prompt").fill("A pen and a lamp.");
    await page.getByRole("button", { name: "Create Image" }).click();
    await page.getByText("Error creating image. Please try again.").first().waitFor();
    expect(await page.getByLabel("Prompt").inputValue()).toBe("A pen and a lamp.");
    await still();
  });

  it("a persona that was not kept stays in its dialog", async () => {
    const over = await answers("personas/update", (route) => route.abort());
    await page.goto("/personas");
    await page.getByRole("button", { name: "Create New Persona" }).click();
    const dialog = page.getByRole("dialog", { name: "Create New Persona" });
    await dialog.getByLabel("Name").fill("Captain Sel");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("Failed to update personas. Please try again.").first().waitFor();
    expect(await dialog.getByLabel("Name").inputValue()).toBe("Captain Sel");
    await over();
  });
});

describe("while an answer is slow", () => {
  beforeAll(() => become(page, writer));

  it.each([
    ["/", "characters/featured", "Loading characters"],
    ["/search", "search", "Loading characters"],
    ["/tag/male", "characters/tag/male", "Loading characters"],
    ["/for-you", "characters/foryou", "Loading characters"],
    ["/favorites", "characters/followed", "Loading characters"],
    ["/following", "characters/random-from-followed", "Loading characters"],
    ["/my-characters", "characters/tag/me", "Loading characters"],
    ["/character/:someone", "character/:someone", "Loading character"],
    ["/character/:someone?tab=memories", "memories", "Loading memories"],
    ["/creator/:creator", "user/:creator", "Loading characters"],
    ["/creator/:creator?tab=followers", "user/:her/followers", "Loading people"],
    ["/top-creators", "creators/top", "Counting the house"],
    ["/my-images", "images", "Loading images"],
  ])("%s holds the places of what %s will bring", async (path, call, label) => {
    let answer = () => {};
    const slow = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const over = await answers(call, async (route) => {
      await slow;
      await route.continue();
    });
    await page.goto(at(path));
    const placeholders = page.getByRole("status", { name: label, exact: true });
    await placeholders.first().waitFor();
    expect(await placeholders.first().locator(".skeleton, .bone").count()).toBeGreaterThan(0);
    answer();
    await placeholders.first().waitFor({ state: "detached" });
    await over();
  });
});

describe("where the key is missing", () => {
  it.each([
    ["/search", "Sign in to unlock characters", "Login"],
    ["/tag/elf", "Sign in to unlock characters", "Login"],
    ["/my-images", "Your gallery is behind the door", "Login"],
    ["/character/:someone?tab=memories", "Memories are between you two", "Login"],
    ["/reports", "Sign in to see your reports", "Login"],
    ["/character/create", "Characters of your own", "Subscribe"],
    ["/image/create", "A picture of your own", "Subscribe"],
  ])("%s shows a visitor which one: %s", async (path, says, key) => {
    await become(page, null);
    await page.goto(at(path));
    await heading(says).waitFor();
    await page.getByRole("main").getByRole("link", { name: key, exact: true }).waitFor();
  });

  it.each([
    ["/character/create", "Characters of your own"],
    ["/image/create", "A picture of your own"],
    ["/character/edit?id=:own", "Characters of your own"],
  ])("%s shows who pays nothing which one: %s", async (path, says) => {
    await become(page, newcomer);
    await page.goto(at(path));
    await heading(says).waitFor();
    expect(await page.getByRole("main").getByRole("link", { name: "Subscribe" }).getAttribute("href")).toBe(
      "/membership",
    );
  });

  it("an NSFW character stays behind the curtain, even from who may follow and review", async () => {
    await page.goto(at("/character/:nsfw"));
    await page.getByText("XXX").waitFor();
    expect(await page.getByLabel("Your review").count()).toBe(0);
    await screenshot(page, "character-covered-1440");
  });
});
