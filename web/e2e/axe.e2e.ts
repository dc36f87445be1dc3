import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { type Address, OPEN, ofMember } from "./addresses";
import { settle, visit } from "./house";
import { become } from "./member";
import { join, type Person } from "./people";

/** Two pages at once: one loads while the other is looked at. */
const PAGES = 2;
const VIEWS = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

/** Everything in one theme; of the other only what a theme can change. */
async function violations(page: Page, { name, path }: Address): Promise<string[]> {
  await page.goto(path);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
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
          `${name}, ${view.width}, ${colorScheme}: ${id} at ${nodes.map((n) => n.target.join(" ")).join(", ")}`,
        );
    }
  }
  return found;
}

async function everywhere(addresses: Address[], person: Person | null) {
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
  return found;
}

describe("accessibility, in both themes, wide and narrow", () => {
  it("of what anyone can open", async () => {
    expect(await everywhere(OPEN, null)).toEqual([]);
  }, 600_000);

  it("of what a member opens", async () => {
    const person = await join("axe");
    expect(await everywhere(await ofMember(person), person)).toEqual([]);
  }, 600_000);
});
