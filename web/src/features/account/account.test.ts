import { describe, expect, it } from "vitest";
import { profileBody } from "./api";
import { daysLeft } from "./components/Ring";

describe("the account", () => {
  it("counts the days that are left, and none below zero", () => {
    const now = Date.parse("2026-11-21T12:00:00Z");
    expect(daysLeft("2027-08-18T12:00:00Z", now)).toBe(270);
    expect(daysLeft("2026-11-21T13:00:00Z", now)).toBe(1);
    expect(daysLeft("2026-11-01T00:00:00Z", now)).toBe(0);
  });
  it("sends a picture only when there is a new one", () => {
    const form = { username: " wren ", bio: "Reads plays aloud on trains.", sponsorMeLink: "" };
    expect([...profileBody(form, null).keys()]).toEqual(["username", "bio", "sponsorMeLink"]);
    expect(profileBody(form, null).get("username")).toBe("wren");
    const picture = new File(["x"], "me.png", { type: "image/png" });
    expect(profileBody(form, picture).get("pfp")).toBeInstanceOf(File);
  });
});
