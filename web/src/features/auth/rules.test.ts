import { describe, expect, it } from "vitest";
import { messages } from "./i18n";
import {
  cleanCode,
  codeProblem,
  isEmail,
  type Problem,
  passwordParts,
  passwordProblem,
  signupSchema,
} from "./rules";

const t = messages("auth");

/** The sentence for a problem. */
const said = (problem: Problem | null) => problem && t(problem);

describe("the sign-up rules", () => {
  it.each([
    ["wren@example.com", true],
    ["wren.w+tag@mail.example.co.uk", true],
    ["wren@example", false],
    ["wren@example.c", false],
    ["wren example@x.org", false],
    ["@x.org", false],
  ])("takes %s as an address: %s", (email, good) => expect(isEmail(email)).toBe(good));

  it("names the first thing a password lacks", () => {
    expect(said(passwordProblem("Ab1"))).toBe("Password is too short!");
    expect(said(passwordProblem("abcdefg1"))).toBe("Must contain a capital!");
    expect(said(passwordProblem("Abcdefgh"))).toBe("Must contain a number!");
    expect(said(passwordProblem("Abcdefg1"))).toBeNull();
    expect(passwordParts("abcdefgh")).toEqual({ length: true, capital: false, digit: false });
  });

  it("wants the confirmation to be equal", () => {
    const form = { email: "a@b.org", password: "Abcdefg1", confirmation: "Abcdefg2", username: "wren" };
    const signup = signupSchema(t);
    const issues = signup.safeParse(form).error?.issues;
    expect(issues?.map((issue) => [issue.path[0], issue.message])).toEqual([
      ["confirmation", "Passwords don't match!"],
    ]);
    expect(signup.safeParse({ ...form, confirmation: form.password }).success).toBe(true);
  });
});

describe("the code", () => {
  it("survives a paste from a mail", () => {
    expect(cleanCode(" ab1-2 c3 ")).toBe("AB12C3");
    expect(cleanCode("ABCDEFGH")).toBe("ABCDEF");
  });
  it("must be whole", () => {
    expect(said(codeProblem(""))).toBe("Must fill out all fields!");
    expect(said(codeProblem("AB12"))).toBe("Enter full code.");
    expect(said(codeProblem("AB12C3"))).toBeNull();
  });
});
