// Prints what Lighthouse thinks of home, search and a character on a phone: `TROUPE_URL=… npm run lighthouse`.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import lighthouse from "lighthouse";
import { chromium } from "playwright-core";

const HOUSE = (process.env.TROUPE_URL ?? "http://127.0.0.1:8080").replace(/\/$/, "");
const PORT = 9333;
const WANTED = { performance: 95, accessibility: 100, "best-practices": 100, seo: 100 };

const METRICS = [
  ["FCP", "first-contentful-paint"],
  ["LCP", "largest-contentful-paint"],
  ["TBT", "total-blocking-time"],
  ["CLS", "cumulative-layout-shift"],
];

const found = await (await fetch(`${HOUSE}/api/search?keywords=Vesper`)).json();
const pages = ["/", "/search", `/character/${found.characters[0]._id}`];

const profile = await mkdtemp(join(tmpdir(), "lighthouse-"));
const browser = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", `--remote-debugging-port=${PORT}`],
});
let short = false;
for (const page of pages) {
  const run = await lighthouse(`${HOUSE}${page}`, { port: PORT, logLevel: "error", output: "json" });
  const scores = Object.entries(run.lhr.categories).map(([id, { score }]) => [id, Math.round(score * 100)]);
  short ||= scores.some(([id, score]) => score < WANTED[id]);
  const lost = Object.values(run.lhr.audits).filter((audit) => audit.score !== null && audit.score < 0.9);
  console.warn(page, scores.map(([id, score]) => `${id} ${score}`).join(" · "));
  console.warn(
    "  ",
    METRICS.map(([name, id]) => `${name} ${run.lhr.audits[id].displayValue}`).join(" · "),
    // Of a busy machine: what it says of time is the machine's. An idle one has 1,500 and more.
    `(machine ${Math.round(run.lhr.environment.benchmarkIndex)})`,
    lost.map((a) => a.id).join(", "),
  );
}
await browser.close();
await rm(profile, { recursive: true, force: true });
if (short)
  console.warn(
    `wanted: ${Object.entries(WANTED)
      .map((pair) => pair.join(" "))
      .join(" · ")}`,
  );
