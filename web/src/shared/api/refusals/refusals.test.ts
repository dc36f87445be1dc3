import { readFileSync } from "node:fs";
import { afterEach, expect, it, vi } from "vitest";
import { speak } from "../../i18n";
import { api } from "../client";
import { ApiError } from "../errors";
import fr from "./fr.json";
import nl from "./nl.json";

/** The BFF's one table of what is refused: reason, status, sentence. */
const TABLE = readFileSync("../bff/src/errors.rs", "utf8");
const reasons = [...TABLE.matchAll(/^ {4}\(\s*"([a-z_]+)",\s*\d{3},/gm)].map((row) => row[1]);

function refuse(status: number, body: object) {
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json(body, { status })));
  return api.post("anything").catch((error: unknown) => error as ApiError);
}

afterEach(async () => {
  vi.unstubAllGlobals();
  await speak("en");
});

it("knows every reason that the house gives, in French and in Dutch", () => {
  expect(reasons.length).toBeGreaterThan(80);
  expect(Object.keys(fr.reasons)).toEqual(reasons);
  expect(Object.keys(nl.reasons)).toEqual(reasons);
  expect(Object.keys(fr.fields)).toEqual(Object.keys(nl.fields));
});

it("tells a refusal in the reader's language", async () => {
  const taken = { msg: "This username is taken.", code: "username_taken" };
  expect(await refuse(409, taken)).toMatchObject({ message: "This username is taken." });
  await speak("nl");
  expect(await refuse(409, taken)).toMatchObject({ message: "Deze gebruikersnaam is al bezet." });
});

it("keeps what only the server can say", async () => {
  await speak("fr");
  expect(
    await refuse(403, { msg: "This account is suspended.", code: "suspended", reason: "Spam." }),
  ).toMatchObject({
    message: "Ce compte est suspendu. Spam.",
  });
  const odd = { msg: "No such colour.", code: "invalid", fields: { colour: "No such colour." } };
  expect(await refuse(400, odd)).toMatchObject({
    message: "No such colour.",
    fields: { colour: "No such colour." },
  });
  expect(await refuse(418, { msg: "I am a teapot.", code: "teapot" })).toMatchObject({
    message: "I am a teapot.",
  });
});

it("tells what is wrong with a field where it knows the sentence", async () => {
  await speak("fr");
  const text = "This username is reserved.";
  const error = await refuse(400, { msg: text, code: "invalid", fields: { username: text } });
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({
    message: "Ce nom d’utilisateur est réservé.",
    fields: { username: "Ce nom d’utilisateur est réservé." },
  });
});
