import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const SRC = join(import.meta.dirname, "..");

/** Every selector of a style sheet, without what its pseudo-classes ask for. */
function selectorsOf(css: string): string[] {
  return [...css.replace(/\/\*.*?\*\//gs, "").matchAll(/([^{}]+)\{/g)]
    .map(([, list = ""]) => list.trim())
    .filter((list) => !list.startsWith("@"))
    .flatMap((list) => list.replace(/:[\w-]+\([^)]*\)/g, "").split(","));
}

const classesIn = (selector: string) =>
  [...selector.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = ""]) => name);

/** Style sheets come with their pages and stay: what one feature calls its own must not reach into another's pages. */
it("styles no class of a feature in the style sheet of another", () => {
  const shared = new Set<string>();
  const owners = new Set<string>();
  const users = new Map<string, Set<string>>();
  for (const path of globSync("**/*.css", { cwd: SRC })) {
    const css = readFileSync(join(SRC, path), "utf8");
    const [, feature] = path.match(/^features.(\w+)/) ?? [];
    for (const selector of selectorsOf(css)) {
      const classes = classesIn(selector);
      if (feature === undefined) {
        for (const name of classes) shared.add(name);
        continue;
      }
      for (const name of classesIn(selector.trim().split(/[\s>+~]/)[0] ?? "")) owners.add(name);
      for (const name of classes) users.set(name, (users.get(name) ?? new Set()).add(feature));
    }
  }
  const mixed = [...owners]
    .map((name) => ({ name, features: [...(users.get(name) ?? [])] }))
    .filter(({ name, features }) => !shared.has(name) && features.length > 1);
  expect(owners.size).toBeGreaterThan(0);
  expect(mixed).toEqual([]);
});
