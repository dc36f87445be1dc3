import { expect, it } from "vitest";
import { callName, flat } from "./prose";

it("a preview is one line without asterisks", () => {
  expect(flat("*She turns.*\n\n“Late.”")).toBe("She turns. “Late.”");
});

it("calls people as one would", () => {
  expect(callName("Isolde Marchetti")).toBe("Isolde");
  expect(callName("Grigor the Unbowed")).toBe("Grigor");
  expect(callName("The Archivist")).toBe("The Archivist");
  expect(callName("Halcyon")).toBe("Halcyon");
});
