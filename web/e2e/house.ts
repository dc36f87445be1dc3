import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { expect } from "vitest";

/** Address of the house under test. */
export const HOUSE = (process.env.TROUPE_URL ?? "http://127.0.0.1:8080").replace(/\/$/, "");
/** Which engine the house was started with. */
export const ENGINE = process.env.TROUPE_EXPECT_ENGINE ?? "improv";
const SCREENSHOTS = process.env.TROUPE_SCREENSHOT_DIR;

/** Longest wait for something that the house does, ms. */
export const PATIENCE_MS = 20_000;

export interface Visit {
  browser: Browser;
  context: BrowserContext;
  page: Page;
  /** What the page complained of: console errors, exceptions, refusals of its content security policy. */
  complaints: string[];
}

/** Opens the house in a browser of its own and listens for complaints; with its service worker where `offline` asks for it. */
export async function visit({ offline = false } = {}): Promise<Visit> {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    // A container has neither a sandbox nor much shared memory to give.
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-quic"],
  });
  const context = await browser.newContext({
    baseURL: HOUSE,
    viewport: { width: 1440, height: 900 },
    colorScheme: "dark",
    locale: "en-GB",
    // Behind the edge the certificate is one of its own making.
    ignoreHTTPSErrors: HOUSE.startsWith("https:"),
    // What a service worker asks for, a test cannot answer in its place.
    serviceWorkers: offline ? "allow" : "block",
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(`exception: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`console: ${message.text()} ${message.location().url}`);
  });
  return { browser, context, page, complaints };
}

/** A page that never comes to rest is looked at as it is after this, ms. */
const REST_MS = 3000;

/** Every animation has ended and every picture in view has come. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(async (rest) => {
    const endless = (a: Animation) => a.effect?.getTiming().iterations === Number.POSITIVE_INFINITY;
    const inView = (img: HTMLImageElement) => img.getBoundingClientRect().top < innerHeight;
    const still = [
      document.fonts.ready,
      ...document
        .getAnimations()
        .filter((a) => a.playState === "running" && !endless(a))
        .map((a) => a.finished.catch(() => undefined)),
      ...[...document.images].filter(inView).map((img) => img.decode().catch(() => undefined)),
    ];
    await Promise.race([Promise.all(still), new Promise((resolve) => setTimeout(resolve, rest))]);
  }, REST_MS);
}

/** Looks at the page as axe does, contrast included, and fails on anything it finds. */
export async function audit(page: Page, name: string): Promise<void> {
  // The page itself, not the empty frame before its code has come.
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.emulateMedia({ reducedMotion: "reduce" });
  await settle(page);
  const { violations } = await new AxeBuilder({ page }).analyze();
  await page.emulateMedia({ reducedMotion: "no-preference" });
  const found = violations.map(
    (violation) => `${violation.id}: ${violation.nodes.map((node) => node.target.join(" ")).join(", ")}`,
  );
  expect(found, `accessibility of ${name}`).toEqual([]);
}

/** Keeps a picture of the page when a folder for them is given. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (!SCREENSHOTS) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  // At rest: lines that type themselves stand whole, and nothing is caught in the middle of a movement.
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.evaluate(() => scrollTo(0, 0));
  await settle(page);
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
  await page.emulateMedia({ reducedMotion: "no-preference" });
}

interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** The six-character code in the newest mail to an address. */
export async function codeFor(email: string): Promise<string> {
  let code = "";
  await expect
    .poll(
      async () => {
        const mails = (await (await fetch(`${HOUSE}/dev/mailbox.json`)).json()) as Mail[];
        const subject = mails.find((mail) => mail.to.includes(email))?.subject ?? "";
        code = subject.match(/^[A-Z0-9]{6}\b/)?.[0] ?? "";
        return code;
      },
      { timeout: PATIENCE_MS, interval: 300 },
    )
    .not.toBe("");
  return code;
}

/** Marks the page so that a reload would be noticed. */
export async function markPage(page: Page): Promise<() => Promise<boolean>> {
  await page.evaluate(() => {
    (globalThis as { notReloaded?: boolean }).notReloaded = true;
  });
  return () => page.evaluate(() => (globalThis as { notReloaded?: boolean }).notReloaded === true);
}

/**
 * Presses Undo on the latest message. By the keyboard: for a click the button has to stand still for two frames, and on a
 * busy machine a message may be gone before there were two. A dialog that is about to close leaves nothing else to the
 * keyboard, and a message may come before it has.
 */
export async function undo(where: Pick<Page, "getByRole">): Promise<void> {
  const button = where.getByRole("button", { name: "Undo" }).last();
  const takesKeys = (element: HTMLElement) => {
    element.focus();
    return document.activeElement === element;
  };
  await expect.poll(() => button.evaluate(takesKeys), { timeout: PATIENCE_MS }).toBe(true);
  await button.press("Enter");
}
