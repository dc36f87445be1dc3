import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { useRoot } from "@/shared/store";
import { makeCard, makeUser } from "@/test/make";
import { renderPage, serve } from "@/test/page";
import Search from "./Search";

const found = () => ({ characters: [makeCard()], hasMore: false });

afterEach(() => vi.unstubAllGlobals());

describe("search", () => {
  it("shows a visitor blurred results they cannot reach, and the way in", async () => {
    serve({ "GET search": found });
    renderPage(<Search />, "/search", "/search?keywords=lamp");
    expect(screen.getByRole("heading", { name: "Sign in to unlock characters" })).toBeTruthy();
    const card = await screen.findByText("Vesper Lang");
    expect(card.closest("[inert]")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "NSFW" })).toBeNull();
    await userEvent.click(screen.getByRole("link", { name: "Login" }));
    expect(screen.getByTestId("elsewhere").textContent).toBe(
      '/login {"redirectPath":"/search?keywords=lamp"}',
    );
  });

  it("asks with words, tags and order as a member sets them", async () => {
    useRoot.getState().enter(makeUser());
    const calls = serve({ "GET search": found });
    renderPage(<Search />, "/search");
    await userEvent.type(screen.getByLabelText("Keywords"), "lamp");
    await userEvent.click(screen.getByRole("button", { name: "Female" }));
    await waitFor(() => {
      const last = calls.at(-1)?.query;
      expect(Object.fromEntries(last ?? [])).toEqual({
        keywords: "lamp",
        tags: "female",
        sort: "mostliked",
        page: "1",
        limit: "20",
      });
    });
  });

  it("lets a word be followed by another after a rest", async () => {
    useRoot.getState().enter(makeUser());
    const calls = serve({ "GET search": found });
    renderPage(<Search />, "/search");
    const asked = () => calls.at(-1)?.query.get("keywords");
    const field = screen.getByLabelText<HTMLInputElement>("Keywords");
    await userEvent.type(field, "dark ");
    await waitFor(() => expect(asked()).toBe("dark"));
    await userEvent.type(field, "knight");
    expect(field.value).toBe("dark knight");
    await waitFor(() => expect(asked()).toBe("dark knight"));
  });

  it("shows ten tags until all are asked for", async () => {
    useRoot.getState().enter(makeUser());
    serve({ "GET search": found });
    renderPage(<Search />, "/search");
    expect(screen.queryByRole("button", { name: "Detective" })).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Show 57 more" }));
    expect(screen.getByRole("button", { name: "Detective" })).toBeTruthy();
  });
});
