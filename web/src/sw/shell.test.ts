import { describe, expect, it } from "vitest";
import { dropOldShell } from "./shell";

const at = (path: string) => `https://troupe.test${path}`;

/** A cache that holds these files. */
function cacheOf(...files: string[]) {
  const kept = new Map(files.map((path) => [at(path), new Response("code")]));
  const address = (asked: RequestInfo | URL) =>
    typeof asked === "string" ? at(asked) : asked instanceof URL ? asked.href : asked.url;
  return {
    kept: () => [...kept.keys()].map((url) => new URL(url).pathname).filter((path) => path !== "/version"),
    add: (...more: string[]) => {
      for (const path of more) kept.set(at(path), new Response("code"));
    },
    keys: async () => [...kept.keys()].map((url) => new Request(url)),
    match: async (asked: RequestInfo | URL) => kept.get(address(asked))?.clone(),
    put: async (asked: RequestInfo | URL, answer: Response) => void kept.set(address(asked), answer),
    delete: async (asked: RequestInfo | URL) => kept.delete(address(asked)),
  };
}

describe("the app as it is kept", () => {
  it("holds the files of the version before, which tabs opened before a deploy still need", async () => {
    const cache = cacheOf("/index.html", "/assets/home-1.js", "/assets/toaster-1.js");
    await dropOldShell(cache, ["/index.html", "/assets/home-1.js", "/assets/toaster-1.js"]);
    cache.add("/assets/home-2.js");
    await dropOldShell(cache, ["/index.html", "/assets/home-2.js"]);
    expect(cache.kept()).toContain("/assets/toaster-1.js");
    expect(cache.kept()).toContain("/assets/home-1.js");
  });

  it("lets go of what is older", async () => {
    const cache = cacheOf("/index.html", "/assets/home-1.js");
    await dropOldShell(cache, ["/index.html", "/assets/home-1.js"]);
    cache.add("/assets/home-2.js");
    await dropOldShell(cache, ["/index.html", "/assets/home-2.js"]);
    cache.add("/assets/home-3.js");
    await dropOldShell(cache, ["/index.html", "/assets/home-3.js"]);
    expect(cache.kept()).toEqual(["/index.html", "/assets/home-2.js", "/assets/home-3.js"]);
  });
});
