// Lays a Brotli copy beside every text of the build, at a level that is too slow to compute while somebody waits.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const compress = promisify(brotliCompress);
/** Smaller than this a file gains nothing, bytes. */
const LEAST = 1024;

const texts = (await readdir(dist, { recursive: true })).filter((name) =>
  /\.(js|css|svg|json|webmanifest)$/.test(name),
);
await Promise.all(
  texts.map(async (name) => {
    const bytes = await readFile(dist + name);
    if (bytes.length < LEAST) return;
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    await writeFile(`${dist + name}.br`, await compress(bytes, { params }));
  }),
);
