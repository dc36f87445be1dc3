import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Address } from "./addresses";
import { settle, visit } from "./house";
import { become } from "./member";
import { ofMember, ofModerator, ofNewcomer, ofVisitor, open } from "./walkers";

/** Two pages at once: one loads while the other is looked at. */
const PAGES = 2;
const VIEWS = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

/** Everything in one theme; of the other only what a theme can change. */
async function violations(page: Page, address: Address): Promise<string[]> {
  await open(page, address);
  const found: string[] = [];
  for (const view of VIEWS) {
    await page.setViewportSize(view);
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ reducedMotion: "reduce", colorScheme });
      await settle(page);
      const axe = new AxeBuilder({ page });
      if (colorScheme === "light") axe.withRules("color-contrast");
      const { violations } = await axe.analyze();
      for (const { id, nodes } of violations)
        found.push(
          `${address.name}, ${view.width}, ${colorScheme}: ${id} at ${nodes.map((n) => n.target.join(" ")).join(", ")}`,
        );
    }
  }
  return found;
}

describe("accessibility, in both themes, wide and narrow", () => {
  it.each([
    ["anyone", ofVisitor],
    ["a member", ofMember],
    ["a newcomer", ofNewcomer],
    ["a moderator", ofModerator],
  ])(
    "of what %s opens",
    async (_, walk) => {
      const { person, addresses } = await walk();
      const { browser, context, page } = await visit();
      if (person) await become(page, person);
      const left = [...addresses];
      const found: string[] = [];
      const look = async (at: Page) => {
        for (let next = left.shift(); next; next = left.shift()) found.push(...(await violations(at, next)));
      };
      const others = await Promise.all(Array.from({ length: PAGES - 1 }, () => context.newPage()));
      await Promise.all([page, ...others].map(look));
      await browser.close();
      expect(found).toEqual([]);
    },
    900_000,
  );
});
