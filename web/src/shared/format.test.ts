import { afterAll, expect, it, vi } from "vitest";
import { ago, dayOf } from "./format";

// Before the first format is made, which keeps the zone of its reader.
vi.stubEnv("TZ", "America/New_York");
afterAll(() => vi.unstubAllEnvs());

it("gives a day the same name wherever its reader is", () => {
  expect(new Date("2026-11-21").getDate()).toBe(20);
  expect(dayOf("2026-11-21")).toBe("21 November 2026");
  expect(dayOf("2026-11-21T03:00:00Z")).toBe("20 November 2026");
});

it("names the months as English does", () => {
  const english = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric" });
  for (let month = 0; month < 12; month++) {
    const day = new Date(2026, month, month + 1, 12);
    expect(dayOf(day)).toBe(english.format(day));
  }
});

it("says how long ago as English does", () => {
  const english = new Intl.RelativeTimeFormat("en-GB", { numeric: "auto" });
  const units = { minute: 60, hour: 3600, day: 86_400, week: 604_800, month: 2_592_000, year: 31_536_000 };
  expect(ago(new Date(5_000).toISOString(), 15_000)).toBe(english.format(0, "second"));
  for (const [unit, seconds] of Object.entries(units)) {
    for (const many of [1, 2, 3]) {
      const now = many * seconds * 1000;
      expect(ago(new Date(0).toISOString(), now)).toBe(
        english.format(-many, unit as Intl.RelativeTimeFormatUnit),
      );
    }
  }
});
