import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it } from "vitest";
import { CodeInput } from "./CodeInput";

function Host() {
  const [code, setCode] = useState("");
  return <CodeInput label="Enter code" value={code} onChange={setCode} />;
}
const boxes = () =>
  [...document.querySelectorAll(".code-boxes span")].map((box) => box.textContent ?? "").join("|");

it("fills its boxes as one types, in capitals", async () => {
  render(<Host />);
  await userEvent.type(screen.getByLabelText("Enter code"), "ab1");
  expect(boxes()).toBe("A|B|1|||");
});

it("takes a pasted code, blanks and hyphens and all", async () => {
  render(<Host />);
  await userEvent.click(screen.getByLabelText("Enter code"));
  await userEvent.paste(" ab1-2c3 and more");
  expect(boxes()).toBe("A|B|1|2|C|3");
});

it("takes a pasted code in place of what was begun", async () => {
  render(<Host />);
  await userEvent.type(screen.getByLabelText("Enter code"), "zz");
  await userEvent.paste("ab1-2c3");
  expect(boxes()).toBe("A|B|1|2|C|3");
});
