import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { it } from "vitest";
import { type Address, OPEN, ofMember } from "./addresses";
import { settle, visit } from "./house";
import { become } from "./member";
import { join } from "./people";

/** A picture of every page, in every width and both themes, for people to look at. */
const FOLDER = fileURLToPath(new URL("../screens/", import.meta.url));
const WIDTHS = [390, 768, 1440];
const THEMES = ["dark", "light"] as const;
const HEIGHT = 900;

async function take(page: Page, { name, path }: Address): Promise<void> {
  await page.goto(path);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ reducedMotion: "reduce", colorScheme });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: HEIGHT });
      await settle(page);
      await page.screenshot({ path: `${FOLDER}${name}-${width}-${colorScheme}.png` });
    }
  }
}

it("pictures every page for a visitor", async () => {
  mkdirSync(FOLDER, { recursive: true });
  const { browser, page } = await visit();
  for (const address of OPEN) await take(page, address);
  await browser.close();
});

it("pictures every page for a member", async () => {
  const person = await join("screens");
  const { browser, page } = await visit();
  await become(page, person);
  for (const address of await ofMember(person)) await take(page, address);
  await browser.close();
});
