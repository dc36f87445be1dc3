import { expect, it } from "vitest";
import { sentences } from "./announce";

it("tells whole sentences only, while more is coming", () => {
  const text = '*She turns.* "You are late. And wet." Then noth';
  expect(sentences(text, true)).toEqual(["She turns.", "“You are late.", "And wet.”"]);
  expect(sentences(`${text}ing`, false)).toEqual([
    "She turns.",
    "“You are late.",
    "And wet.”",
    "Then nothing",
  ]);
});

it("does not take a sentence back once it was told", () => {
  const whole =
    '*She waits.* "Dr. Sato, is it?" **Silence.**\n\n- one\n- two\n\nThe lamp hums. It is 3.5 metres away. "So?"';
  let told: string[] = [];
  for (let length = 1; length <= whole.length; length++) {
    const now = sentences(whole.slice(0, length), true);
    expect(now.length).toBeGreaterThanOrEqual(told.length);
    told = now;
  }
  expect(sentences(whole, false).slice(0, told.length)).toEqual(told);
});
