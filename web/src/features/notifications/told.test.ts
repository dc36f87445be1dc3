import { readFileSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import { speak } from "@/shared/i18n";
import { messages } from "./i18n";
import { told } from "./told";

afterEach(() => speak("en"));

/** Every sentence as the house writes it. */
const SAID = [
  "velvetfox follows you.",
  "velvetfox reviewed Maren: the Ferry: 1 star.",
  "velvetfox reviewed Maren: 4 stars.",
  "Your image is ready.",
  "Your image could not be made. It cost you nothing.",
  "You are on the free plan now.",
  "You are on Deluxe now.",
  "The payment for Premium did not go through. Please look at your card.",
  "Premium is canceled. You keep it for the time that is paid.",
  "Maren is shown to fewer people after a report.",
  "Something of yours is withheld while a report is looked into. Reasons: It may be a real person.",
  "Maren was removed after a report. Reasons: It is.\nIt was said so before.",
  "Maren is back after another look.",
  "Your account was suspended: Spam.",
  "Your account is open again.",
];

it("says in English what the house said", () => {
  expect(SAID.map((text) => told(text, messages("told")))).toEqual(SAID);
});

it("says it in the reader's language, with names and reasons as they are", async () => {
  await speak("fr");
  const fr = (text: string) => told(text, messages("told"));
  expect(SAID.filter((text) => fr(text) === null)).toEqual([]);
  expect(fr("velvetfox reviewed Maren: 1 star.")).toBe(
    "velvetfox a donné son avis sur Maren\u00a0: 1 étoile.",
  );
  await speak("nl");
  expect(told("Something of yours was removed after a report. Reasons: Spam.", messages("told"))).toBe(
    "Na een melding is dit verwijderd: iets van jou. Redenen: Spam.",
  );
});

it("leaves to the house what it does not know", () => {
  expect(
    told(
      "A portrait was refused. No minors. If it happens again, your account is suspended.",
      messages("told"),
    ),
  ).toBeNull();
});

it("knows the words that the house has today", () => {
  const house = readFileSync("../services/auth/src/notifications/mod.rs", "utf8");
  for (const words of [
    "follows you.",
    " reviewed {}: {} {stars}.",
    "Your image is ready.",
    "Your image could not be made. It cost you nothing.",
    "You are on the free plan now.",
    "You are on {plan} now.",
    "did not go through. Please look at your card.",
    "is canceled. You keep it for the time that is paid.",
    "is shown to fewer people after a report",
    "is withheld while a report is looked into",
    "was removed after a report",
    "is back after another look",
    "something of yours",
    " Reasons: ",
    "Your account was suspended: {reason}",
    "Your account is open again.",
  ])
    expect(house).toContain(words);
});
