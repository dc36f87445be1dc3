import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";

/** Part of every secret of the machine that builds. */
const MARK = "Marked7Secret";
const WEB = resolve(import.meta.dirname, "../..");
/** Everybody's part of a build. */
const LONGEST_BUILD_MS = 300_000;

/** What an operator keeps secret, by the example of the environment. */
async function secrets(): Promise<string[]> {
  const example = await readFile(resolve(WEB, "../deploy/example.env"), "utf8");
  const names = [...example.matchAll(/^([A-Z_]+(?:KEY|SECRET|PASSWORD))=/gm)].map(([, name]) => name ?? "");
  return [...names, "STRIPE_SECRET_KEY", "LLM_API_KEY", "IMAGE_API_KEY", "DATABASE_URL", "NPM_TOKEN"];
}

let folder = "";
let names: string[] = [];
const built = new Map<string, string>();

// What ships, built on a machine whose environment is full of secrets.
beforeAll(async () => {
  names = await secrets();
  folder = await mkdtemp(join(tmpdir(), "troupe-bundle-"));
  const marked = Object.fromEntries(names.map((name) => [name, `${MARK}-${name}`]));
  const { NODE_ENV: _, VITEST: __, ...env } = process.env;
  await promisify(execFile)(
    process.execPath,
    [join(WEB, "node_modules/vite/bin/vite.js"), "build", "--outDir", folder, "--emptyOutDir"],
    { cwd: WEB, env: { ...env, ...marked }, maxBuffer: 1 << 26 },
  );
  for (const file of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const path = join(file.parentPath, file.name);
    built.set(path.slice(folder.length + 1), await readFile(path, "latin1"));
  }
}, LONGEST_BUILD_MS);

afterAll(() => rm(folder, { recursive: true, force: true }));

it("holds no secret of the machine that built it, and asks for none", () => {
  expect(names.length).toBeGreaterThan(10);
  expect([...built.keys()].filter((path) => path.startsWith("assets/")).length).toBeGreaterThan(50);
  expect(built.get("index.html")).toContain("<script");
  expect(built.get("sw.js")).toBeDefined();
  const held = [...built].flatMap(([path, text]) =>
    [MARK, ...names].filter((word) => text.includes(word)).map((word) => `${path} holds ${word}`),
  );
  expect(held).toEqual([]);
});
