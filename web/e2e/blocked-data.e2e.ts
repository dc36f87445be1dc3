import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { screenshot, type Visit, visit } from "./house";
import { join, type Person } from "./people";

/** A browser that is told to block the data of sites: its storage throws at its very mention. */
let house: Visit;
let member: Person;

beforeAll(async () => {
  house = await visit();
  await house.context.addInitScript(() => {
    const closed = () => {
      throw new DOMException("Access is denied for this document.", "SecurityError");
    };
    for (const name of ["localStorage", "sessionStorage", "indexedDB", "caches"])
      Object.defineProperty(globalThis, name, { get: closed, configurable: true });
    Object.defineProperty(Navigator.prototype, "serviceWorker", { get: closed, configurable: true });
  });
});
afterAll(async () => {
  await house?.browser.close();
});

describe("a browser that keeps nothing", () => {
  it("with somebody who has an account", async () => {
    member = await join("closed");
  });

  it("shows a visitor the house, its countdown and its lists", async () => {
    const { page } = house;
    for (const path of ["/", "/search", "/about", "/membership"]) {
      await page.goto(path);
      await page.getByRole("heading", { level: 1 }).first().waitFor();
    }
    await page.goto("/");
    await page.getByText("SPOOKYSZN").first().waitFor();
    await screenshot(page, "blocked-data-1440");
  });

  it("lets one log in for as long as the page is open", async () => {
    const { page } = house;
    await page.goto("/login");
    await page.getByLabel("E-Mail").fill(member.email);
    await page.getByLabel("Password", { exact: true }).fill(member.password);
    await page.getByRole("button", { name: "Login" }).click();
    await page.waitForURL("**/for-you");
    await page.getByRole("link", { name: "Personas", exact: true }).first().click();
    await page.waitForURL("**/personas");
    await page.getByText("Create New Persona").first().waitFor();
    await page.getByRole("link", { name: "Chats", exact: true }).first().click();
    await page.waitForURL("**/chats");
    await page.getByRole("button", { name: "Sign Out" }).first().click();
    await page.waitForURL("**/login");
  });

  it("knows nobody after a reload, and says nothing worse", async () => {
    const { page, complaints } = house;
    await page.goto("/personas");
    await page.goto("/account");
    await page.waitForURL("**/login");
    expect(complaints).toEqual([]);
  });
});
