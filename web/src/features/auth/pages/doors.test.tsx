import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { renderPage, serve } from "@/test/page";
import Forgot from "./Forgot";
import Reset from "./Reset";
import Verify from "./Verify";

afterEach(() => vi.unstubAllGlobals());

const press = (name: string) => userEvent.click(screen.getByRole("button", { name }));
const broken = () => new Response("{}", { status: 500 });

describe("a forgotten password", () => {
  it("is asked for by the address, and ends at the way back", async () => {
    const calls = serve({ "POST forgot-password": () => ({ success: true, msg: "" }) });
    renderPage(<Forgot />, "/forgot");
    await press("Submit");
    expect(await screen.findByText("Must fill out all fields!")).toBeTruthy();
    await userEvent.type(screen.getByLabelText("E-Mail Address"), "wren@example.com{Enter}");
    expect(await screen.findByRole("heading", { name: "Reset Link Sent" })).toBeTruthy();
    expect(screen.getByText("Check your email to reset your password.")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Return to Login" }).getAttribute("href")).toBe("/login");
    expect(calls[0]?.body).toEqual({ email: "wren@example.com" });
  });

  it("says so when nobody knows what happened", async () => {
    serve({ "POST forgot-password": broken });
    renderPage(<Forgot />, "/forgot");
    await userEvent.type(screen.getByLabelText("E-Mail Address"), "wren@example.com{Enter}");
    expect(await screen.findByText("Unknown error submitting forgot request.")).toBeTruthy();
  });
});

describe("a new password", () => {
  it("needs a password, the token of the mail, and the rule of sign-up", async () => {
    const calls = serve({ "POST reset-password": () => ({ success: true, msg: "" }) });
    renderPage(<Reset />, "/reset", "/reset?token=T0K3N");
    await press("Submit");
    expect(await screen.findByText("Must fill out all fields!")).toBeTruthy();
    await userEvent.type(screen.getByLabelText("New Password"), "Prompt{Enter}");
    expect(await screen.findByText("Password is too short!")).toBeTruthy();
    await userEvent.type(screen.getByLabelText("New Password"), "-box-7{Enter}");
    expect(await screen.findByText("Password reset.")).toBeTruthy();
    expect(calls.map(({ body }) => body)).toEqual([{ password: "Prompt-box-7", token: "T0K3N" }]);
  });

  it("cannot be chosen without a token, nor when the server does not know why", async () => {
    serve({ "POST reset-password": broken });
    const { unmount } = renderPage(<Reset />, "/reset");
    await userEvent.type(screen.getByLabelText("New Password"), "Prompt-box-7{Enter}");
    expect(await screen.findByText("Missing token. Please resubmit a reset request.")).toBeTruthy();
    unmount();
    renderPage(<Reset />, "/reset", "/reset?token=T0K3N");
    await userEvent.type(screen.getByLabelText("New Password"), "Prompt-box-7{Enter}");
    expect(await screen.findByText("Unknown error submitting password reset request.")).toBeTruthy();
  });
});

describe("the code of the mail", () => {
  it("leads on to the login once it is right", async () => {
    const calls = serve({ "POST verify": () => ({ success: true, msg: "Your email is verified." }) });
    renderPage(<Verify />, "/verify");
    expect(screen.getByText("Enter the code we sent to your email.")).toBeTruthy();
    await press("Submit");
    expect(await screen.findByText("Must fill out all fields!")).toBeTruthy();
    await userEvent.click(screen.getByLabelText("Enter code"));
    await userEvent.paste("ab1-2c");
    await press("Submit");
    expect(await screen.findByText("Enter full code.")).toBeTruthy();
    await userEvent.type(screen.getByLabelText("Enter code"), "3");
    await press("Submit");
    await waitFor(() => expect(screen.getByTestId("elsewhere").textContent).toContain("/login"));
    expect(calls.find(({ path }) => path === "verify")?.body).toEqual({ token: "AB12C3" });
  });

  it("says so when nobody knows what happened", async () => {
    serve({ "POST verify": broken });
    renderPage(<Verify />, "/verify");
    await userEvent.click(screen.getByLabelText("Enter code"));
    await userEvent.paste("AB12C3");
    await press("Submit");
    expect(await screen.findByText("Unknown error verifying email.")).toBeTruthy();
  });
});
