import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { it } from "vitest";
import type { Address } from "./addresses";
import { settle, visit } from "./house";
import { become } from "./member";
import { ofMember, ofModerator, ofNewcomer, ofVisitor, open } from "./walkers";

/** A picture of every page, in every width and both themes, for people to look at. */
const FOLDER = fileURLToPath(new URL("../screens/", import.meta.url));
const WIDTHS = [390, 768, 1440];
const THEMES = ["dark", "light"] as const;
const HEIGHT = 900;

async function take(page: Page, address: Address): Promise<void> {
  await open(page, address);
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ reducedMotion: "reduce", colorScheme });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: HEIGHT });
      await settle(page);
      await page.screenshot({ path: `${FOLDER}${address.name}-${width}-${colorScheme}.png` });
    }
  }
}

/** To make a moderator is an operator's work, whose command a tour may be without. */
const walks = {
  anyone: ofVisitor,
  "a member": ofMember,
  "a newcomer": ofNewcomer,
  ...(process.env.TROUPE_XTASK && { "a moderator": ofModerator }),
};

it.each(Object.entries(walks))("pictures what %s opens", async (_, walk) => {
  mkdirSync(FOLDER, { recursive: true });
  const { person, addresses } = await walk();
  const { browser, page } = await visit();
  if (person) await become(page, person);
  for (const address of addresses) await take(page, address);
  await browser.close();
});
