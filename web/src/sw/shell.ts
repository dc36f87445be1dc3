/** Under this the cache of the app says which files its newest version has. Never asked for from outside. */
const VERSION = "/version";

type Kept = Pick<Cache, "keys" | "match" | "put" | "delete">;

/**
 * Lets go of what neither this version nor the one before it has. A tab that was opened before a deploy goes on in the
 * version before, and asks for the rest of its files when it needs them.
 */
export async function dropOldShell(cache: Kept, files: readonly string[]): Promise<void> {
  const before = (await (await cache.match(VERSION))?.json()) as string[] | undefined;
  await cache.put(VERSION, new Response(JSON.stringify(files)));
  if (!before) return;
  const wanted = new Set([VERSION, ...files, ...before]);
  for (const request of await cache.keys())
    if (!wanted.has(new URL(request.url).pathname)) await cache.delete(request);
}
