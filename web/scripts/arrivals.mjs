// Writes which files of the build belong to which page (dist/arrivals.json), for the server to name them in its head.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { arrivals } from "../src/app/arrivals.ts";
import { poster } from "../src/shared/media.ts";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const build = JSON.parse(await readFile(`${dist}.vite/manifest.json`, "utf8"));

/** Pages that open with the picture that their head names, which the server puts in the place of `{asset}`. */
const PICTURES = { "/character/:id": poster("/media/{asset}/full.webp") };

/** A chunk and all that it imports before it runs. */
function whole(key, found = new Set()) {
  if (found.has(key)) return found;
  found.add(key);
  for (const next of build[key].imports ?? []) whole(next, found);
  return found;
}

const entry = Object.keys(build).find((key) => build[key].isEntry);
const app = whole(entry);
const pages = arrivals.map(([path, page]) => {
  const key = `src/features/${page}.tsx`;
  if (!build[key]) throw new Error(`arrivals.ts names ${page}, which is no page of the build`);
  const own = [...whole(key)].filter((part) => !app.has(part)).map((part) => build[part]);
  const styles = own.flatMap((part) => part.css ?? []).filter((file) => !build[entry].css?.includes(file));
  return {
    path,
    scripts: own.map((part) => `/${part.file}`),
    styles: [...new Set(styles)].map((file) => `/${file}`),
    picture: PICTURES[path],
  };
});
await writeFile(`${dist}arrivals.json`, JSON.stringify(pages));
