import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audit, PATIENCE_MS, type Visit, visit } from "./house";
import { become } from "./member";
import { join, moderator, type Person } from "./people";

/** How the screens of an account stand while an answer is slow, when none comes, and to whom they are not open. */
let house: Visit;
let free: Person;

beforeAll(async () => {
  house = await visit();
});
afterAll(async () => {
  await house?.browser.close();
});

const button = (name: string | RegExp) => house.page.getByRole("button", { name });
const says = (text: string | RegExp) => house.page.getByText(text).first().waitFor();

interface Screen {
  path: string;
  /** What it reads, as a pattern of addresses. */
  api: string;
  /** What a screen reader hears of its placeholder. */
  waits: string;
  failed: string;
  /** What stands there in the end. */
  empty: string;
}

const SCREENS: readonly Screen[] = [
  {
    path: "/notifications",
    api: "**/api/notifications?page=1",
    waits: "Loading notifications",
    failed: "Failed to load notifications. Please try again.",
    empty: "Nothing has happened yet",
  },
  {
    path: "/reports",
    api: "**/api/reports?*",
    waits: "Loading reports",
    failed: "Your reports could not be loaded.",
    empty: "Nothing reported",
  },
  {
    path: "/account/blocks",
    api: "**/api/blocks",
    waits: "Loading your block list",
    failed: "Failed to load your block list. Please try again.",
    empty: "No tag is blocked.",
  },
  {
    path: "/account",
    api: "**/api/plans",
    waits: "Loading plans",
    failed: "The plans could not be loaded.",
    empty: "You are in the free seats.",
  },
  {
    path: "/account",
    api: "**/api/receipts*",
    waits: "Loading receipts",
    failed: "Failed to load your receipts. Please try again.",
    empty: "You have paid nothing yet.",
  },
  {
    path: "/account",
    api: "**/api/coins/movements*",
    waits: "Loading coins",
    failed: "Failed to load your coins. Please try again.",
    empty: "No coins have moved yet.",
  },
  {
    path: "/account?tab=security",
    api: "**/api/devices",
    waits: "Loading devices",
    failed: "Failed to load your devices. Please try again.",
    empty: "This device",
  },
  {
    path: "/membership",
    api: "**/api/plans",
    waits: "Loading plans",
    failed: "The plans could not be loaded.",
    empty: "Your order",
  },
];

/** Nothing of this address is answered until the end of it. */
async function hold(api: string): Promise<() => Promise<void>> {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await house.page.route(api, async (route) => {
    await held;
    // The page may have been left meanwhile.
    await route.continue().catch(() => undefined);
  });
  return async () => {
    release();
    await house.page.unroute(api);
  };
}

it("has somebody without a plan", async () => {
  free = await join("wings");
});

describe("a screen of an account", () => {
  it.each(SCREENS)(
    "$path waits in its shape, and says what to do when no answer comes ($api)",
    async (screen) => {
      const { page } = house;
      await become(page, free);
      const answer = await hold(screen.api);
      await page.goto(screen.path);
      await page.getByRole("status", { name: screen.waits }).waitFor();
      await answer();
      await says(screen.empty);

      await page.route(screen.api, (route) => route.abort());
      await page.goto(screen.path);
      await says(screen.failed);
      await audit(page, `${screen.path}, no answer`);
      await page.unroute(screen.api);
      await button("Try again").first().click();
      await says(screen.empty);
    },
  );
});

describe("the doors without an answer", () => {
  it("say so, and keep what was typed", async () => {
    const { page } = house;
    await become(page, null);
    await page.route("**/api/login", (route) => route.abort());
    await page.goto("/login");
    await page.getByLabel("E-Mail").fill(free.email);
    await page.getByLabel("Password", { exact: true }).fill(free.password);
    await button("Login").click();
    await says("No answer from the server. Check your connection and try again.");
    expect(await page.getByLabel("E-Mail").inputValue()).toBe(free.email);
    await audit(page, "login, no answer");
    await page.unroute("**/api/login");

    await page.route("**/api/forgot-password", (route) => route.abort());
    await page.goto("/forgot");
    await page.getByLabel("E-Mail Address").fill(free.email);
    await button("Submit").click();
    await says("Unknown error submitting forgot request.");
    await page.unroute("**/api/forgot-password");
  });
});

describe("who may not see a screen", () => {
  it("is told what a visitor can do about reports, and finds no moderators' queue", async () => {
    const { page } = house;
    await become(page, null);
    await page.goto("/reports");
    await page.getByRole("heading", { name: "Sign in to see your reports" }).waitFor();
    for (const path of ["/admin", "/admin/images", "/admin/reports", "/admin/people"]) {
      await page.goto(path);
      await page.getByRole("heading", { name: "No such page" }).waitFor();
    }
    await become(page, free);
    await page.goto("/admin/people");
    await page.getByRole("heading", { name: "No such page" }).waitFor();
  });

  it("finds the premium overlay with Subscribe over the forms for members", async () => {
    const { page } = house;
    await become(page, free);
    for (const path of ["/character/create", "/image/create"]) {
      await page.goto(path);
      await page.locator(".locked").getByRole("link", { name: "Subscribe" }).click();
      await page.waitForURL("**/membership");
    }
  });
});

describe("the moderators' queues", () => {
  it("wait in their shape, and say so when they cannot be loaded", async () => {
    const { page } = house;
    await become(page, await moderator("usher"));
    const queues = [
      { path: "/admin", api: "**/api/admin/held*", what: "characters" },
      { path: "/admin/images", api: "**/api/admin/images*", what: "pictures" },
      { path: "/admin/reports", api: "**/api/admin/reports*", what: "reports" },
    ];
    for (const { path, api, what } of queues) {
      const answer = await hold(api);
      await page.goto(path);
      await page.getByRole("status", { name: `Loading ${what}` }).waitFor();
      await answer();
      await page.route(api, (route) => route.abort());
      await page.goto(path);
      await says(`Failed to load ${what}. Please try again.`);
      await page.unroute(api);
      await button("Try again").click();
      await page.getByText(/to look at,|Nobody waits/).waitFor();
    }
  });
});

describe("the language", () => {
  it("is the browser's until one is chosen, which is kept", async () => {
    const context = await house.browser.newContext({
      baseURL: new URL(house.page.url()).origin,
      viewport: { width: 1440, height: 900 },
      locale: "fr-BE",
      serviceWorkers: "block",
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const spoken = () => page.evaluate(() => document.documentElement.lang);
    await page.goto("/login");
    await page.getByRole("heading", { name: "Bon retour" }).waitFor();
    expect(await spoken()).toBe("fr");
    await page.getByRole("button", { name: "Connexion" }).click();
    await page.getByText("Veuillez remplir tous les champs !").waitFor();
    await audit(page, "login in French");

    await page.goto("/about");
    // The page itself is English, and says so to whoever reads it out.
    expect(await page.locator("main").getAttribute("lang")).toBe("en");
    await page.getByLabel("Langue").selectOption("nl");
    await page.getByRole("link", { name: "Inloggen" }).first().waitFor();
    expect(await spoken()).toBe("nl");
    await page.reload();
    await page.getByRole("link", { name: "Huisregels" }).waitFor();
    await page.getByLabel("Taal").selectOption("en");
    await page.getByRole("link", { name: "Community Guidelines" }).first().waitFor();
    expect(await page.locator("main").getAttribute("lang")).toBeNull();
    await context.close();
  });
});

it("makes the pages complain of nothing but the answers that were spoilt on purpose", () => {
  const unasked = house.complaints.filter((line) => !/ERR_FAILED|status of (4|5)\d\d/.test(line));
  expect(unasked).toEqual([]);
});
