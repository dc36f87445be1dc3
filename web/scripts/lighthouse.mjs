// Prints what Lighthouse thinks of home, search and a character on a phone: `TROUPE_URL=… npm run lighthouse`.
import { launch } from "chrome-launcher";
import lighthouse from "lighthouse";

const HOUSE = (process.env.TROUPE_URL ?? "http://127.0.0.1:8080").replace(/\/$/, "");
/** One run tells much of the machine's moment: of this many, the one in the middle stands. */
const RUNS = 3;
const WANTED = { performance: 95, accessibility: 100, "best-practices": 100, seo: 100 };

const METRICS = [
  ["FCP", "first-contentful-paint"],
  ["LCP", "largest-contentful-paint"],
  ["TBT", "total-blocking-time"],
  ["CLS", "cumulative-layout-shift"],
];

const found = await (await fetch(`${HOUSE}/api/search?keywords=Vesper`)).json();
const pages = ["/", "/search", `/character/${found.characters[0]._id}`];

// As Lighthouse's own command does it: who else holds the browser (as Playwright does) has it collect the positions of all
// calls, which the page's thread pays for.
const browser = await launch({
  chromePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  chromeFlags: ["--headless", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
});
let short = false;
const look = (page) =>
  lighthouse(`${HOUSE}${page}`, { port: browser.port, logLevel: "error", output: "json" });
const speed = (run) => run.lhr.categories.performance.score;
try {
  for (const page of pages) {
    const runs = [];
    for (let n = 0; n < RUNS; n++) runs.push(await look(page));
    const run = runs.toSorted((a, b) => speed(a) - speed(b))[Math.floor(RUNS / 2)];
    const scores = Object.entries(run.lhr.categories).map(([id, { score }]) => [id, Math.round(score * 100)]);
    short ||= scores.some(([id, score]) => score < WANTED[id]);
    const lost = Object.values(run.lhr.audits).filter((audit) => audit.score !== null && audit.score < 0.9);
    const each = runs.map((one) => Math.round(speed(one) * 100)).join(", ");
    console.warn(page, scores.map(([id, score]) => `${id} ${score}`).join(" · "), `(performance ${each})`);
    console.warn(
      "  ",
      METRICS.map(([name, id]) => `${name} ${run.lhr.audits[id].displayValue}`).join(" · "),
      // Of a busy machine: what it says of time is the machine's. An idle one has 1,500 and more.
      `(machine ${Math.round(run.lhr.environment.benchmarkIndex)})`,
      lost.map((a) => a.id).join(", "),
    );
  }
} finally {
  browser.kill();
}
if (short)
  console.warn(
    `wanted: ${Object.entries(WANTED)
      .map((pair) => pair.join(" "))
      .join(" · ")}`,
  );
