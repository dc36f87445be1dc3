import type { messages } from "./i18n";

type Words = ReturnType<typeof messages<"told">>;
type Key = Parameters<Words>[0];

/** What the house tells, as it writes it (in English), by the key of its sentence. Named parts go into it. */
const SENTENCES: readonly (readonly [Key, RegExp])[] = [
  ["follower", /^(?<name>\w+) follows you\.$/],
  ["review", /^(?<name>\w+) reviewed (?<character>.+): (?<stars>[1-5]) stars?\.$/],
  ["imageReady", /^Your image is ready\.$/],
  ["imageFailed", /^Your image could not be made\. It cost you nothing\.$/],
  ["planFree", /^You are on the free plan now\.$/],
  ["planOn", /^You are on (?<plan>\w+) now\.$/],
  ["planUnpaid", /^The payment for (?<plan>\w+) did not go through\. Please look at your card\.$/],
  ["planCanceled", /^(?<plan>\w+) is canceled\. You keep it for the time that is paid\.$/],
  ["limited", /^(?<subject>.+?) is shown to fewer people after a report\.(?: Reasons: (?<reasons>.+))?$/s],
  ["withheld", /^(?<subject>.+?) is withheld while a report is looked into\.(?: Reasons: (?<reasons>.+))?$/s],
  ["removed", /^(?<subject>.+?) was removed after a report\.(?: Reasons: (?<reasons>.+))?$/s],
  ["restored", /^(?<subject>.+?) is back after another look\.(?: Reasons: (?<reasons>.+))?$/s],
  ["suspended", /^Your account was suspended: (?<reasons>.+)$/s],
  ["reinstated", /^Your account is open again\.$/],
];
/** The subject of a decision that has no name of its own. */
const NAMELESS = "Something of yours";

/** A notification in the reader's language; null for what only the house's own words tell. */
export function told(text: string, t: Words): string | null {
  for (const [key, pattern] of SENTENCES) {
    const parts = pattern.exec(text);
    if (!parts) continue;
    const { subject, reasons = "", stars, ...names } = parts.groups ?? {};
    const values = {
      ...names,
      ...(stars && { stars: Number(stars) }),
      ...(subject && { subject: subject === NAMELESS ? t("nameless") : subject }),
    };
    const sentence = t(key, values as never);
    if (key === "suspended") return t(key, { reasons });
    return reasons ? t("because", { sentence, reasons }) : sentence;
  }
  return null;
}
