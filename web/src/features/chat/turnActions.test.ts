import { describe, expect, it } from "vitest";
import { makeMessage } from "@/test/make";
import { leafing, MAX_VARIANTS } from "./turnActions";

const reply = (variant: number, variants: number) =>
  makeMessage({ parentId: "mine", senderType: "character", variant, variants });

describe("leafing through versions", () => {
  it("goes back and on between those that are there", () => {
    expect(leafing(reply(2, 3), true, null)).toEqual({ back: null, on: "next", onRefused: null });
  });

  it("writes another beyond the last one of the newest reply", () => {
    expect(leafing(reply(3, 3), true, null)).toEqual({ back: null, on: "write", onRefused: null });
  });

  it("ends with the last version anywhere else", () => {
    expect(leafing(reply(3, 3), false, null)).toMatchObject({
      on: null,
      onRefused: "This is the last version.",
    });
    const greeting = makeMessage({ senderType: "character", parentId: null, variant: 2, variants: 2 });
    expect(leafing(greeting, true, null).on).toBeNull();
    const own = makeMessage({ senderType: "user", parentId: "greeting" });
    expect(leafing(own, true, null).on).toBeNull();
  });

  it("says why not: at the first, at twenty, and while a reply is written", () => {
    expect(leafing(reply(1, 1), true, null).back).toBe("This is the first version.");
    expect(leafing(reply(MAX_VARIANTS, MAX_VARIANTS), true, null).onRefused).toContain("20");
    expect(leafing(reply(2, 3), true, "Wait.")).toMatchObject({ back: "Wait.", onRefused: "Wait." });
  });
});
