import { defineConfig, mergeConfig } from "vitest/config";
import e2e from "./vitest.config";

/** Not a test: `npm run screens` writes a picture of every page. */
export default mergeConfig(
  { ...e2e, test: { ...e2e.test, include: [], bail: 0 } },
  defineConfig({ test: { include: ["**/*.tour.ts"], testTimeout: 900_000 } }),
);
