import type { Page } from "playwright-core";
import { type Address, filled, MEMBER, MODERATOR, NEWCOMER, OPEN } from "./addresses";
import { join, moderator, ok, type Person, subscribe } from "./people";

/** A character of the seeds. */
const SOMEONE = "Vesper Lang";

const CARD = {
  name: "Odile Renn",
  age: "36",
  tags: '["female","historical"]',
  description: "Winds the clocks of a theatre that closed in 1911, and knows why it did.",
  personality: "Dry, patient, curious.",
  firstMessage: "*She does not look up.* Mind the pendulum.",
  alternateGreetings: '["*The lamp is already lit.* I kept your seat."]',
  generateMode: "true",
  "imageGeneration[gender]": "female",
  "imageGeneration[age]": "30s",
  "imageGeneration[prompt]": "a clockmaker by lamplight",
};

/** What stands for the placeholders of the addresses. */
type Found = Record<string, string>;

interface Walk {
  person: Person | null;
  addresses: Address[];
}

async function ofTheSeeds(): Promise<Found> {
  const { characters } = await ok("GET", `/api/search?keywords=${encodeURIComponent(SOMEONE)}`);
  const { _id: character, creator } = characters[0];
  const all = (await ok("GET", "/api/search?limit=100")).characters;
  const nsfw = all.find((c: { nsfw: boolean }) => c.nsfw)._id;
  return { character, creator: creator.username, nsfw };
}

/** Follows, writes, draws and complains once of everything, so that no page of theirs is empty. */
async function settleIn(person: Person, { character, creator }: Found): Promise<Found> {
  const { token } = person;
  await subscribe(person, "premium");
  const { _id: creatorId } = await ok("GET", `/api/user/${creator}`, { token });
  const made = await ok("POST", "/api/create", { token, form: CARD });
  await Promise.all([
    ok("POST", `/api/character/${character}/follow`, { token, json: {} }),
    ok("POST", `/api/user/${creatorId}/follow`, { token, json: {} }),
    ok("GET", `/api/chats/${character}/messages`, { token }),
    ok("POST", "/api/personas/update", {
      token,
      json: {
        personas: [
          {
            id: "1",
            name: "Captain Sel",
            description: "Owes money in Ostend.",
            gender: "female",
            default: true,
          },
        ],
      },
    }),
  ]);
  const { report } = await ok("POST", "/api/reports", {
    token,
    json: {
      subjectKind: "user",
      subjectId: creatorId,
      reason: "other",
      text: "Written to see how a report looks.",
    },
  });
  return { own: made.character._id, me: person.username, report: report.number };
}

export async function ofVisitor(): Promise<Walk> {
  return { person: null, addresses: filled(OPEN, await ofTheSeeds()) };
}

export async function ofMember(): Promise<Walk> {
  const person = await join("walker");
  const seeds = await ofTheSeeds();
  return { person, addresses: filled(MEMBER, { ...seeds, ...(await settleIn(person, seeds)) }) };
}

export async function ofNewcomer(): Promise<Walk> {
  return { person: await join("newcomer"), addresses: filled(NEWCOMER, {}) };
}

export async function ofModerator(): Promise<Walk> {
  return { person: await moderator("usher"), addresses: filled(MODERATOR, {}) };
}

/** Goes to an address and waits for the page itself, not the empty frame before its code and its data have come. */
export async function open(page: Page, { path, broken }: Address): Promise<void> {
  const hit = (url: URL) => broken !== undefined && url.pathname === `/api/${broken}`;
  if (broken) await page.route(hit, (route) => route.fulfill({ json: { creators: [{}] } }));
  await page.goto(path);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  // And for what it asks the house for: placeholders are not what a page is about.
  await page.waitForFunction(() => !document.querySelector("main .skeleton, main .bone"));
  if (broken) {
    await page.getByRole("alert").getByRole("heading", { level: 1 }).waitFor();
    await page.unroute(hit);
  }
}
