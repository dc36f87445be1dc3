import { describe, expect, it } from "vitest";
import { cut, shortCount } from "./brief";
import { TAG_GROUPS } from "./catalog/groups";
import { listSort, SORTS, searchSort } from "./catalog/sorts";
import { TAGS, tagName, visibleTags } from "./catalog/tags";
import { DISCOUNT_KEY, discountEnd, remaining } from "./countdown";
import { ago, count, dayOf, momentOf, money, rating } from "./format";
import { sized } from "./media";
import { needsLogin, safeRedirect } from "./paths";

describe("counts", () => {
  it.each([
    [0, "0"],
    [999, "999"],
    [1000, "1k"],
    [12_840, "12.8k"],
    [99_999, "99.9k"],
    [186_400, "186k"],
    [999_999, "999k"],
    [1_000_000, "1M"],
    [2_450_000, "2.4M"],
  ])("%i is written %s", (count, text) => expect(shortCount(count)).toBe(text));
  it("have the comma of French and Dutch", () => {
    expect([shortCount(12_840, "fr"), shortCount(1_250_000, "nl")]).toEqual(["12,8k", "1,2M"]);
  });
});

describe("words", () => {
  it("cuts at a word near the limit and never beyond it", () => {
    expect(cut("short", 10)).toBe("short");
    const text = cut("The lamp is lit and the house is quiet tonight", 30);
    expect(text).toBe("The lamp is lit and the house…");
    expect(text.length).toBeLessThanOrEqual(30);
  });
  it("cuts between whole letters", () => expect(cut("🎭🎭🎭🎭", 3)).toBe("🎭🎭…"));
  it("gives no number until someone has reviewed", () => {
    expect(rating(null, 0)).toBeNull();
    expect(rating(4.666, 3)).toBe("4.7");
  });
  it("tells how long ago", () => {
    const now = Date.parse("2026-11-21T12:00:00Z");
    expect(ago("2026-11-21T11:59:40Z", now)).toBe("now");
    expect(ago("2026-11-18T12:00:00Z", now)).toBe("3 days ago");
  });
  it("writes days, moments and numbers as the reader's language does", () => {
    expect(dayOf("2026-03-14T10:00:00Z")).toBe("14 March 2026");
    expect(dayOf("2026-03-14T10:00:00Z", "fr")).toBe("14 mars 2026");
    expect(dayOf("2026-03-14T10:00:00Z", "nl")).toBe("14 maart 2026");
    expect(momentOf("2026-03-14T10:00:00Z", "nl")).toMatch(/^14 mrt 2026/);
    const now = Date.parse("2026-03-14T10:00:00Z");
    expect(ago("2026-03-11T10:00:00Z", now, "fr")).toBe("il y a 3 jours");
    expect(ago("2026-03-14T09:59:30Z", now, "nl")).toBe("nu");
    expect(count(5000)).toBe("5,000");
    expect(count(5000, "nl")).toBe("5.000");
  });
  it("writes whole prices without cents, and as the reader does", () => {
    expect(money(900, "USD")).toBe("$9");
    expect(money(825, "USD")).toBe("$8.25");
    expect(money(825, "USD", "fr")).toMatch(/^8,25\s\$US$/);
    expect(money(900, "USD", "nl")).toMatch(/^US\$\s9$/);
  });
});

describe("the discount window", () => {
  const HOUR = 3_600_000;
  it("is 12 h 16 min 48 s from the first visit and survives a reload", () => {
    const end = discountEnd(1_000_000);
    expect(remaining(end, 1_000_000)).toEqual({ hours: 12, minutes: 16, seconds: 48 });
    expect(discountEnd(1_000_000 + HOUR)).toBe(end);
  });
  it("begins again when it has passed, and when the stored time is not one of ours", () => {
    const end = discountEnd(1_000_000);
    expect(discountEnd(end + 1)).toBe(end + 1 + 44_208_000);
    localStorage.setItem(DISCOUNT_KEY, "never");
    expect(discountEnd(5)).toBe(5 + 44_208_000);
    localStorage.setItem(DISCOUNT_KEY, String(10 ** 15));
    expect(discountEnd(5)).toBe(5 + 44_208_000);
  });
  it("never shows less than nothing", () =>
    expect(remaining(1000, 99_000)).toEqual({ hours: 0, minutes: 0, seconds: 0 }));
});

describe("which pages need a login", () => {
  it.each([
    "/account",
    "/for-you",
    "/following",
    "/my-characters",
    "/favorites",
    "/chats",
    "/character/018f/chat",
    "/billing/history",
    "/settings",
    "/Account",
  ])("%s does", (path) => expect(needsLogin(path)).toBe(true));
  it.each([
    "/",
    "/creator/account-fan",
    "/creator/account",
    "/tag/chat",
    "/character/018f",
    "/search",
    "/legal/terms",
  ])("%s does not", (path) => expect(needsLogin(path)).toBe(false));
});

describe("where a login may lead", () => {
  const origin = "https://troupe.test";
  it("keeps paths of our own", () =>
    expect(safeRedirect("/tag/elf?sort=New#a", origin)).toBe("/tag/elf?sort=New#a"));
  it.each(["//evil.test", "https://evil.test/", "/\\evil.test", "javascript:alert(1)", "", undefined, 7])(
    "refuses %s",
    (path) => expect(safeRedirect(path, origin)).toBeNull(),
  );
});

describe("sort orders", () => {
  it("are spelt as each route wants them", () => {
    expect(SORTS.map((sort) => searchSort(sort.name))).toEqual([
      "mostliked",
      "popular",
      "trending",
      "recenthits",
      "new",
    ]);
    expect(listSort("Most Liked")).toBe("mostLiked");
  });
});

describe("tags", () => {
  it("each belong to exactly one group", () => {
    const grouped = TAG_GROUPS.flatMap((group) => group.tags);
    expect([...grouped].sort()).toEqual([...TAGS].sort());
  });
  it("are written as people write them", () => {
    expect(tagName("monster-girl")).toBe("Monster Girl");
    expect(tagName("OC")).toBe("OC");
    expect(tagName("non-english")).toBe("Non-English");
  });
  it("keep NSFW for members", () => {
    expect(visibleTags(false)).not.toContain("nsfw");
    expect(visibleTags(true)).toContain("nsfw");
  });
});

describe("picture sizes", () => {
  it("change the file and keep the signature", () => {
    expect(sized("/media/ab12/card.webp", "full")).toBe("/media/ab12/full.webp");
    expect(sized("/media/ab12/card.webp?exp=1&sig=x", "full")).toBe("/media/ab12/full.webp?exp=1&sig=x");
    expect(sized("/portrait.webp", "thumb")).toBe("/portrait.webp");
  });
});
