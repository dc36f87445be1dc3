import { describe, expect, it } from "vitest";
import { messages } from "./i18n";
import { movementWords } from "./money";
import { passwordSchema, spaced } from "./security";

const NO_MATCH = "New passwords do not match";
const WEAK = "Password must include an uppercase character and a number, and be at least 8 characters long.";

const problems = (newPassword: string, confirmation = newPassword) =>
  passwordSchema(messages("password"))
    .safeParse({ currentPassword: "Prompt-box-7", newPassword, confirmation })
    .error?.issues.map((issue) => [issue.path[0], issue.message]);

describe("a new password", () => {
  it.each(["Ab1", "abcdefg1", "Abcdefgh", "Abcdefg1~", "Abcdef g1"])("is not %s", (password) => {
    expect(problems(password)).toEqual([["newPassword", WEAK]]);
  });
  it("takes letters, digits and the signs of its alphabet", () => {
    expect(problems("Abcdefg1@$!%*#?&")).toBeUndefined();
  });
  it("must be typed twice alike, and says so beside its own fault", () => {
    expect(problems("Abcdefg1", "Abcdefg2")).toEqual([["confirmation", NO_MATCH]]);
    expect(problems("weak", "week")).toEqual([
      ["newPassword", WEAK],
      ["confirmation", NO_MATCH],
    ]);
  });
});

it("writes a key in fours", () => {
  expect(spaced("CV4Q54WC6BGN")).toBe("CV4Q 54WC 6BGN");
});

describe("a movement of coins", () => {
  const move = (kind: string, available: number, reserved: number) =>
    movementWords({ _id: "m", kind, reason: "image", available, reserved, at: "2026-11-21T10:00:00Z" });

  it("is told by what it did to the coins one can spend", () => {
    expect(move("reserve", -10, 10)).toMatchObject({ what: "A picture", how: "Set aside", change: -10 });
    expect(move("release", 10, -10)).toMatchObject({ how: "Given back", change: 10 });
  });
  it("spends what was set aside before", () => {
    expect(move("capture", 0, -10)).toMatchObject({ how: "Spent", change: null, setAside: 10 });
  });
});
