import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** The main job in a real browser, against a house that runs. Each test goes on where the one before ended. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  cacheDir: fileURLToPath(new URL("../node_modules/.vite-e2e", import.meta.url)),
  test: {
    // Only what a person says and reads depends on the engine; all else is walked once, with the default one, and
    // the edge where the house stands behind it.
    include:
      process.env.TROUPE_EXPECT_ENGINE === "openai" ? ["main-job.e2e.ts", "edge.e2e.ts"] : ["*.e2e.ts"],
    exclude: process.env.TROUPE_URL?.startsWith("https:") ? [] : ["edge.e2e.ts"],
    testTimeout: 90_000,
    hookTimeout: 60_000,
    fileParallelism: false,
    // What comes after a failure would only fail for the same reason.
    bail: 1,
    reporters: ["verbose"],
  },
});
