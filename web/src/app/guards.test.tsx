import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { readToken, writeToken } from "@/shared/api/token";
import { Link, MemoryRouter, useLocation } from "@/shared/router";
import { useRoot } from "@/shared/store";
import { useToasts } from "@/shared/toast";
import { makeUser } from "@/test/make";
import { forRole, LoginGuard } from "./guards";

const token = (exp: number) => `h.${btoa(JSON.stringify({ exp }))}.s`;
const IN_AN_HOUR = Math.floor(Date.now() / 1000) + 3600;

function Where() {
  const { pathname, state } = useLocation();
  return (
    <>
      <output>{`${pathname} ${JSON.stringify(state)}`}</output>
      <Link to="/chats">Chats</Link>
    </>
  );
}

const visit = (address: string) =>
  render(
    <MemoryRouter at={address}>
      <LoginGuard>
        <Where />
      </LoginGuard>
    </MemoryRouter>,
  );

describe("the guard", () => {
  it("lets everyone onto open pages", () => {
    visit("/creator/account-fan");
    expect(screen.getByRole("status").textContent).toBe("/creator/account-fan null");
  });

  it("sends a visitor to the login with the whole path kept, and says so", () => {
    visit("/following?sort=New");
    expect(screen.getByRole("status").textContent).toBe('/login {"redirectPath":"/following?sort=New"}');
    expect(useToasts.getState().toasts.map((t) => t.text)).toEqual(["Please login again."]);
  });

  it("says so each time, and ends a session that has run out since", async () => {
    visit("/following");
    useToasts.setState({ toasts: [] });
    useRoot.getState().enter(makeUser());
    writeToken(token(1));
    await userEvent.click(screen.getByRole("link", { name: "Chats" }));
    expect(screen.getByRole("status").textContent).toBe('/login {"redirectPath":"/chats"}');
    expect(useToasts.getState().toasts.map((t) => t.text)).toEqual(["Please login again."]);
    expect(useRoot.getState().loggedIn).toBe(false);
  });

  it("lets a member with a live token through", () => {
    useRoot.getState().enter(makeUser());
    writeToken(token(IN_AN_HOUR));
    visit("/account");
    expect(screen.getByRole("status").textContent).toBe("/account null");
  });

  it("ends a session whose token has run out", () => {
    useRoot.getState().enter(makeUser());
    writeToken(token(1));
    visit("/character/018f/chat");
    expect(screen.getByRole("status").textContent).toContain(
      '/login {"redirectPath":"/character/018f/chat"}',
    );
    expect(readToken()).toBeNull();
    expect(useRoot.getState().loggedIn).toBe(false);
  });
});

describe("a page for a role", () => {
  const Desk = forRole("admin", () => <p>The desk</p>);
  const open = () =>
    render(
      <MemoryRouter>
        <Desk />
      </MemoryRouter>,
    );

  it("is there for who has the role, and nowhere for others", () => {
    const visitor = open();
    expect(screen.getByText("No such page")).toBeTruthy();
    visitor.unmount();
    useRoot.getState().enter(makeUser({ roles: [] }));
    const member = open();
    expect(screen.getByText("No such page")).toBeTruthy();
    member.unmount();
    useRoot.getState().enter(makeUser({ roles: ["admin"] }));
    open();
    expect(screen.getByText("The desk")).toBeTruthy();
  });
});
