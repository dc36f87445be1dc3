import { execFile } from "node:child_process";
import { describe, expect, it } from "vitest";
import { HOUSE } from "./house";
import { join, subscribe } from "./people";

/** Calls for each operation and way of making them up; enough to find what a reader of the description would. */
const EXAMPLES = 12;
/** Longest run, s. */
const TIME_S = 300;
/** What must hold of every answer, whatever was asked. */
const CHECKS = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
];
/** A stream has no end. */
const ENDLESS = ["/api/events"];
/** Once its session has ended, somebody gets nothing but 401. */
const FAREWELLS = ["/api/logout"];

/** Makes up calls from the description of `/api` (schemathesis) and holds the answers against it. */
async function conform(token?: string): Promise<void> {
  const program = process.env.TROUPE_SCHEMATHESIS;
  if (!program)
    throw new Error("TROUPE_SCHEMATHESIS is not set: run the tests by `cargo xtask test --only e2e`");
  const args = ["run", `${HOUSE}/api/openapi.json`, "--checks", CHECKS.join(","), "--no-color"];
  args.push("--phases", "coverage,fuzzing,stateful", "--max-examples", String(EXAMPLES), "--seed", "1");
  args.push("--generation-database", "none", "--warnings", "off", "--continue-on-failure");
  for (const path of token ? [...ENDLESS, ...FAREWELLS] : ENDLESS) args.push("--exclude-path", path);
  if (token) args.push("--header", `Authorization: Bearer ${token}`);
  const said = await new Promise<string>((resolve) => {
    execFile(program, args, { timeout: TIME_S * 1000, maxBuffer: 1 << 26 }, (error, out) => {
      resolve(error ? `${error.message.slice(0, 200)}\n${out.slice(-20_000)}` : "");
    });
  });
  expect(said).toBe("");
}

describe("the description of /api holds", () => {
  it("for calls of a visitor", () => conform(), TIME_S * 1000);

  it(
    "for calls of somebody on a paid plan",
    async () => {
      const person = await join("contract");
      await subscribe(person, "premium");
      await conform(person.token);
    },
    TIME_S * 1000,
  );
});
