import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { queryClient } from "@/shared/api/query";
import { readToken, writeToken } from "@/shared/api/token";
import { MemoryRouter, useLocation } from "@/shared/router";
import { useRoot } from "@/shared/store";
import { makeUser } from "@/test/make";
import { Header } from "./Header";

afterEach(() => vi.unstubAllGlobals());

const Where = () => <output>{useLocation().pathname}</output>;

const show = () =>
  render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter at="/chats">
        <Header />
        <Where />
      </MemoryRouter>
    </QueryClientProvider>,
  );

it("has the way out of the session for who is in one, and for nobody else", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    asked.push(`${init.method} ${url}`);
    return Response.json({ success: true, notifications: [], unread: 0 });
  });
  const { unmount } = show();
  expect(screen.queryByRole("button", { name: "Sign Out" })).toBeNull();
  unmount();

  useRoot.getState().enter(makeUser());
  writeToken("a.b.c");
  show();
  await userEvent.click(screen.getByRole("button", { name: "Sign Out" }));
  expect(await screen.findByText("/login")).toBeTruthy();
  expect(asked).toContain("POST /api/logout");
  expect([readToken(), useRoot.getState().loggedIn]).toEqual([null, false]);
});
