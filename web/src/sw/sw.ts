/// <reference lib="webworker" />
import { cacheOf, copyOf, isKept, keptAnswer, tooOld } from "./kept";
import { dropOldShell } from "./shell";

declare const self: ServiceWorkerGlobalScope & {
  /** Filled in by the build: every file of this version. */
  __WB_MANIFEST: { url: string; revision: string | null }[];
};

const SHELL = "shell";
const PAGE = "/index.html";
/** Addresses that are not pages of the app, though a link may lead to them. */
const NOT_PAGES = /^\/(api|media|sandbox|dev|webhooks)\/|\.(txt|xml)$/;

const files = self.__WB_MANIFEST.map(({ url }) => `/${url}`);

async function keepShell() {
  const cache = await caches.open(SHELL);
  const have = new Set((await cache.keys()).map((request) => new URL(request.url).pathname));
  // The page is asked for anew; what has the hash of its content in its name never changes.
  await cache.add(new Request(PAGE, { cache: "reload" }));
  await cache.addAll(files.filter((file) => file !== PAGE && !have.has(file)));
}

/** The page as the house has it now, however long that takes: a kept one would hide a deploy. It stands in only when
 * there is no network. */
async function page(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await caches.match(PAGE, { cacheName: SHELL });
    if (kept) return kept;
    throw error;
  }
}

async function file(request: Request): Promise<Response> {
  return (await caches.match(request, { cacheName: SHELL })) ?? fetch(request);
}

/** From the network, with a copy for when there is none. */
async function chats(request: Request, name: string): Promise<Response> {
  const fresh = await fetch(request).catch(() => null);
  const cache = await caches.open(name);
  if (!fresh) return (await cache.match(request, { ignoreVary: true })) ?? Response.error();
  if (fresh.ok) {
    // Taken out first, so that the order of a cache is that of its use.
    await cache.delete(request, { ignoreVary: true });
    await cache.put(request, await copyOf(fresh.clone()));
    const answers = (await cache.keys()).map(async (r) =>
      keptAnswer(r.url, await cache.match(r, { ignoreVary: true })),
    );
    for (const url of tooOld(await Promise.all(answers))) await cache.delete(url, { ignoreVary: true });
  }
  return fresh;
}

self.addEventListener("install", (event) => {
  event.waitUntil(keepShell().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const dropped = caches.open(SHELL).then((cache) => dropOldShell(cache, [...files, PAGE]));
  event.waitUntil(dropped.then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== self.location.origin) return;
  if (request.mode === "navigate" && !NOT_PAGES.test(url.pathname)) {
    event.respondWith(page(request));
  } else if (url.pathname.startsWith("/assets/")) {
    event.respondWith(file(request));
  } else if (isKept(request.method, url)) {
    const name = cacheOf(request.headers.get("authorization"));
    if (name) event.respondWith(chats(request, name));
  }
});
