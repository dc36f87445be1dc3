import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const SRC = resolve(import.meta.dirname, "..");
const IMPORT = /(?:from|import)\s*\(?\s*"([^"]+)"/g;

/** The room a file lives in: `shared`, `app`, or one feature. */
function roomOf(file: string): string {
  const [first, second] = relative(SRC, file).split("/");
  return first === "features" ? `features/${second}` : (first ?? "");
}

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name) && !name.startsWith("test/"))
  .map((name) => join(SRC, name));

describe("the layers", () => {
  it("go one way: app to features to shared, and no feature knows another", () => {
    const wrong: string[] = [];
    for (const file of files) {
      const from = roomOf(file);
      for (const [, target = ""] of readFileSync(file, "utf8").matchAll(IMPORT)) {
        const path = target.startsWith("@/")
          ? join(SRC, target.slice(2))
          : target.startsWith(".")
            ? resolve(dirname(file), target)
            : null;
        if (!path) continue;
        const to = roomOf(path);
        const forbidden =
          (from === "shared" && (to === "app" || to.startsWith("features/"))) ||
          (from.startsWith("features/") && (to === "app" || (to.startsWith("features/") && to !== from)));
        if (forbidden) wrong.push(`${relative(SRC, file)} imports ${target}`);
      }
    }
    expect(files.length).toBeGreaterThan(50);
    expect(wrong).toEqual([]);
  });
});
