import { afterAll, expect, it, vi } from "vitest";
import { dayOf } from "./format";

// Before the first format is made, which keeps the zone of its reader.
vi.stubEnv("TZ", "America/New_York");
afterAll(() => vi.unstubAllEnvs());

it("gives a day the same name wherever its reader is", () => {
  expect(new Date("2026-11-21").getDate()).toBe(20);
  expect(dayOf("2026-11-21")).toBe("21 November 2026");
  expect(dayOf("2026-11-21T03:00:00Z")).toBe("20 November 2026");
});
