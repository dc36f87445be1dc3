import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import compile from "icu-minify/compile";
import type { Plugin } from "vite";
import { VitePWA } from "vite-plugin-pwa";
import { defineConfig } from "vitest/config";

/** Where the development server finds the BFF. */
const bff = process.env.TROUPE_BFF ?? "http://127.0.0.1:8080";

/** What this many pages share comes as one file. */
const MANY_PAGES = 3;
/** Parts that fewer pages share are joined up to this, bytes. */
const SMALL_PART = 12_000;

const SHARED = /\/(lucide-react|src\/shared)\//;

type Tree = { [key: string]: Tree | string };

/** Reads the messages' ICU syntax while building, so that its parser is not part of the app. */
const messages: Plugin = {
  name: "messages",
  enforce: "pre",
  transform: {
    filter: { id: /\/i18n\/\w+\.json$/ },
    handler: (code) =>
      JSON.stringify(
        JSON.parse(code, (_key, value: Tree | string) =>
          typeof value === "string" ? compile(value) : value,
        ),
      ),
  },
};

const icon = encodeURIComponent(
  readFileSync(fileURLToPath(new URL("./public/icon.svg", import.meta.url)), "utf8"),
);

/** The app is asked for before its fonts, which share the line with it, and not after an icon. */
const appFirst: Plugin = {
  name: "app-first",
  transformIndexHtml: {
    order: "post",
    handler: (html) => {
      const app =
        /\n\s*<(?:script type="module"|link rel="(?:stylesheet|modulepreload)")[^>]*>(?:<\/script>)?/g;
      const tags = html.match(app) ?? [];
      return html
        .replace(app, "")
        .replace(/\n\s*<link/, (first) => tags.join("") + first)
        .replace('href="/icon.svg"', `href="data:image/svg+xml,${icon}"`);
    },
  },
};

/**
 * Has V8 compile all of the entry while it arrives, beside the page's thread, which else compiles each function when it
 * is called first. Read only as the very first line (https://v8.dev/blog/explicit-compile-hints), above what Vite puts
 * there last; to others it is a comment.
 */
const compiledEarly: Plugin = {
  name: "compiled-early",
  enforce: "post",
  generateBundle: {
    order: "post",
    handler: (_options, bundle) => {
      for (const file of Object.values(bundle))
        if (file.type === "chunk" && file.isEntry) file.code = `//# allFunctionsCalledOnLoad\n${file.code}`;
    },
  },
};

export default defineConfig({
  plugins: [
    messages,
    appFirst,
    compiledEarly,
    react(),
    tailwindcss(),
    VitePWA({
      strategies: "injectManifest",
      srcDir: "src/sw",
      filename: "sw.ts",
      // Registered by app/offline.ts; the manifest is in public/.
      injectRegister: false,
      manifest: false,
      injectManifest: { globPatterns: ["index.html", "assets/*.{js,css,woff2}"] },
    }),
  ],
  resolve: {
    alias: {
      "@": fileURLToPath(new URL("./src", import.meta.url)),
      "use-intl/format-message": "use-intl/format-message/format-only",
    },
  },
  build: {
    // The content security policy has no `data:` for styles or scripts: nothing is inlined.
    assetsInlineLimit: 0,
    target: "es2022",
    // Read by scripts/arrivals.mjs.
    manifest: true,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // A shared part is named for all that share it, which the entry would carry for each part; and it carries each
        // hash, whose eighth sign nothing compresses.
        chunkFileNames: ({ name }) => `assets/${name.replace(/^parts~.*/, "parts")}-[hash:7].js`,
        codeSplitting: {
          // What most pages need comes as one file: it compresses better, and is asked for once.
          groups: [
            { name: "house", tags: ["$initial"], priority: 3 },
            // What few of the pages need that share the rest, and is larger than all of it.
            { name: "tabs", test: /\/shared\/ui\/Tabs\./, priority: 3 },
            { name: "streams", test: /\/shared\/api\/sse\./, priority: 3 },
            // What pages share, an icon or a field, would be a file each, and each asked for.
            { name: "common", test: SHARED, minShareCount: MANY_PAGES, priority: 2 },
            {
              name: "parts",
              test: SHARED,
              minShareCount: 2,
              entriesAware: true,
              entriesAwareMergeThreshold: SMALL_PART,
              priority: 1,
            },
          ],
        },
      },
    },
  },
  server: {
    host: "127.0.0.1",
    proxy: Object.fromEntries(
      ["/api", "/media", "/sandbox", "/dev/mailbox"].map((path) => [path, { target: bff }]),
    ),
  },
  test: {
    environment: "jsdom",
    setupFiles: ["./src/test/setup.ts"],
    include: ["src/**/*.test.{ts,tsx}"],
    css: false,
    // Goes through the alias above.
    server: { deps: { inline: ["use-intl"] } },
    // Above the wait of one query (src/test/setup.ts), so that its sentence is what a failure shows.
    testTimeout: 30_000,
  },
});
