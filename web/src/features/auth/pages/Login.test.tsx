import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { MemoryRouter } from "@/shared/router";
import Login from "./Login";

afterEach(() => vi.unstubAllGlobals());

const refusal = (code: string, msg: string) =>
  Response.json({ success: false, msg, message: msg, code }, { status: 401 });

it("asks for the second step when the account has one, and keeps what was typed", async () => {
  const asked: Array<Record<string, unknown>> = [];
  vi.stubGlobal("fetch", async (input: Request | string, init?: RequestInit) => {
    const body = input instanceof Request ? await input.text() : String(init?.body);
    asked.push(JSON.parse(body));
    return asked.length === 1
      ? refusal("otp_required", "Enter the code of your authenticator app.")
      : refusal("otp_wrong", "That code is not right.");
  });
  const user = userEvent.setup();
  render(
    <MemoryRouter>
      <Login />
    </MemoryRouter>,
  );
  await user.type(screen.getByLabelText("E-Mail"), "ada@example.com");
  await user.type(screen.getByLabelText("Password"), "Prompt-box-7{Enter}");

  const code = await screen.findByLabelText(/authenticator app/);
  expect(screen.queryByRole("alert")?.textContent ?? "").toBe("");
  await user.type(code, "123456{Enter}");
  expect(await screen.findByText("That code is not right.")).toBeTruthy();
  expect(asked.map((body) => [body.email, body.password, body.otp])).toEqual([
    ["ada@example.com", "Prompt-box-7", undefined],
    ["ada@example.com", "Prompt-box-7", "123456"],
  ]);
});

it("hides a password while it is typed, unless its owner wants to see it, and lets it be pasted", async () => {
  const user = userEvent.setup();
  render(
    <MemoryRouter>
      <Login />
    </MemoryRouter>,
  );
  const field = screen.getByLabelText<HTMLInputElement>("Password");
  await user.click(field);
  await user.paste("Prompt-box-7");
  expect([field.value, field.type]).toEqual(["Prompt-box-7", "password"]);
  expect(document.body.textContent).not.toContain("Prompt-box-7");
  await user.click(screen.getByRole("button", { name: "Show password" }));
  expect(field.type).toBe("text");
  await user.click(screen.getByRole("button", { name: "Hide password" }));
  expect(field.type).toBe("password");
});
