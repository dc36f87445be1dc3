// Fails when the JavaScript of the first view (home, by a visitor) has outgrown its budget.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";

/** Bytes by gzip; the Brotli copies that the server sends are smaller still. */
const BUDGET = 110_000;

const dist = fileURLToPath(new URL("../dist/", import.meta.url));
// The entry holds the home page; what both import is preloaded by name.
const page = await readFile(`${dist}index.html`, "utf8");
const files = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, file]) => file);

let brotli = 0;
let gzip = 0;
for (const file of files) {
  const bytes = await readFile(dist + file);
  brotli += brotliCompressSync(bytes).length;
  gzip += gzipSync(bytes, { level: 9 }).length;
}
const kB = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
const line = `first view: ${kB(brotli)} of JavaScript in ${files.length} files (Brotli; ${kB(gzip)} by gzip), budget ${kB(BUDGET)} by gzip`;
if (files.length === 0 || gzip > BUDGET) {
  console.error(
    `${line}: too much. What is not needed to show the home page is to be loaded when it is needed.`,
  );
  process.exit(1);
}
console.warn(line);
