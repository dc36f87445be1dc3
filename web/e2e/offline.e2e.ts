import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PATIENCE_MS, type Visit, visit } from "./house";
import { become } from "./member";
import { join, ok, type Person } from "./people";

let house: Visit;
let reader: Person;
let characterId = "";

beforeAll(async () => {
  house = await visit({ offline: true });
});
afterAll(async () => {
  await house?.browser.close();
});

const kept = () =>
  house.page.evaluate(async () => (await caches.keys()).filter((name) => name.startsWith("chats-")));

describe("the installed app", () => {
  it("with somebody who has a chat", async () => {
    reader = await join("offline");
    await become(house.page, reader);
    const found = await ok("GET", "/api/search?keywords=Vesper", { token: reader.token });
    characterId = found.characters[0]._id;
  });

  it("is installable: a manifest with icons that any launcher can cut", async () => {
    const { page } = house;
    await page.goto("/");
    const href = await page.locator('link[rel="manifest"]').getAttribute("href");
    const manifest = await (await page.request.get(href ?? "")).json();
    expect(manifest).toMatchObject({ start_url: "/", display: "standalone" });
    for (const { src } of manifest.icons) expect((await page.request.get(src)).status(), src).toBe(200);
    expect(manifest.icons.some((icon: { purpose?: string }) => icon.purpose === "maskable")).toBe(true);
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  });

  it("lets the last chats be read without a network", async () => {
    const { page, context } = house;
    await page.goto(`/character/${characterId}/chat`);
    const greeting = page.getByTestId("character-turn").first();
    await greeting.waitFor();
    await page.goto("/chats");
    await page.getByText("Vesper Lang").first().waitFor();
    await expect.poll(kept, { timeout: PATIENCE_MS }).toEqual([`chats-${reader.id}`]);

    await context.setOffline(true);
    await page.reload();
    await page.getByText("Vesper Lang").first().waitFor();
    await page.goto(`/character/${characterId}/chat`);
    await greeting.waitFor();
    await context.setOffline(false);
  });

  it("takes the page from the network as long as there is one", async () => {
    const { page } = house;
    const answer = await page.goto("/about");
    expect(answer?.fromServiceWorker()).toBe(true);
    const served = await (await page.request.get("/about")).text();
    expect(await answer?.text()).toBe(served);
  });

  it("forgets the chats with the session", async () => {
    const { page } = house;
    await page.goto("/");
    await page.getByRole("button", { name: "Sign Out" }).first().click();
    await page.waitForURL("**/login");
    await expect.poll(kept, { timeout: PATIENCE_MS }).toEqual([]);
  });
});
