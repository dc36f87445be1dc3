import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { speak } from "@/shared/i18n";
import { renderPage, serve } from "@/test/page";
import Signup from "./Signup";

afterEach(async () => {
  vi.unstubAllGlobals();
  await speak("en");
});

const overEighteen = () => userEvent.click(screen.getByRole("button", { name: "I'm over 18" }));
const type = (label: string, text: string) => userEvent.type(screen.getByLabelText(label), text);
/** From the age to the answer of the server. */
const throughAllSteps = async () => {
  renderPage(<Signup />, "/signup");
  await overEighteen();
  await type("E-Mail", "wren@example.com{Enter}");
  await screen.findByLabelText("Password");
  await type("Password", "Prompt-box-7{Enter}");
  await screen.findByLabelText("Confirm password");
  await type("Confirm password", "Prompt-box-7{Enter}");
  await screen.findByLabelText("Username");
  await type("Username", "wren{Enter}");
};

describe("the sign-up", () => {
  it("asks for the age first, and goes on by Enter to what the server is told", async () => {
    const calls = serve({ "POST signup": () => ({ success: true, msg: "Check your email." }) });
    renderPage(<Signup />, "/signup", "/signup?ref=velvet");
    expect(screen.queryByLabelText("E-Mail")).toBeNull();
    await overEighteen();

    await type("E-Mail", "wren@example{Enter}");
    expect(await screen.findByText("Invalid email format!")).toBeTruthy();
    await type("E-Mail", ".com{Enter}");

    await screen.findByLabelText("Password");
    const next = screen.getByRole<HTMLButtonElement>("button", { name: "Continue" });
    expect(next.disabled).toBe(true);
    await type("Password", "prompt-box");
    expect(screen.getByText("Must contain a capital!")).toBeTruthy();
    expect(screen.getAllByLabelText("Met:")).toHaveLength(1);
    await userEvent.clear(screen.getByLabelText("Password"));
    await type("Password", "Prompt-box-7");
    expect(screen.getByText("Password looks good!")).toBeTruthy();
    expect(screen.getAllByLabelText("Met:")).toHaveLength(3);
    await type("Password", "{Enter}");

    await screen.findByLabelText("Confirm password");
    await type("Confirm password", "Prompt-box-8{Enter}");
    expect(await screen.findByText("Passwords don't match!")).toBeTruthy();
    await type("Confirm password", "{Backspace}7{Enter}");

    await screen.findByLabelText("Username");
    await type("Username", "{Enter}");
    expect(await screen.findByText("Must fill out all fields!")).toBeTruthy();
    await type("Username", "wren{Enter}");
    await waitFor(() =>
      expect(screen.getByTestId("elsewhere").textContent).toBe('/verify {"email":"wren@example.com"}'),
    );
    expect(calls[0]?.body).toEqual({
      email: "wren@example.com",
      password: "Prompt-box-7",
      username: "wren",
      ref: "velvet",
    });
  });

  it("goes back to the field that the server names", async () => {
    const taken = {
      msg: "This email is taken.",
      code: "validation",
      fields: { email: "This email is taken." },
    };
    serve({ "POST signup": () => Response.json({ success: false, ...taken }, { status: 409 }) });
    await throughAllSteps();
    expect(await screen.findByText("This email is taken.")).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>("E-Mail").value).toBe("wren@example.com");
  });

  it("praises no password that the server refused, until it is another", async () => {
    const leaked = {
      msg: "Password is known from a leak elsewhere!",
      code: "validation",
      fields: { password: "Password is known from a leak elsewhere!" },
    };
    serve({ "POST signup": () => Response.json({ success: false, ...leaked }, { status: 400 }) });
    await throughAllSteps();
    expect(await screen.findByText("Password is known from a leak elsewhere!")).toBeTruthy();
    expect(screen.queryByText("Password looks good!")).toBeNull();
    await type("Password", "7");
    expect(await screen.findByText("Password looks good!")).toBeTruthy();
    expect(screen.queryByText("Password is known from a leak elsewhere!")).toBeNull();
  });

  it("says what is wrong in the reader's language", async () => {
    await speak("nl");
    serve({});
    renderPage(<Signup />, "/signup");
    await waitFor(() => expect(document.title).toContain("Registreren"));
    await userEvent.click(screen.getByRole("button", { name: "Ik ben ouder dan 18" }));
    await type("E-mail", "wren{Enter}");
    expect(await screen.findByText("Ongeldig e-mailadres!")).toBeTruthy();
  });
});
