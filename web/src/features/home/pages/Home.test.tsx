import { screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { useRoot } from "@/shared/store";
import { makeCard, makeUser } from "@/test/make";
import { renderPage, serve } from "@/test/page";
import Home from "./Home";

beforeEach(() => {
  serve({
    "GET characters/featured": () => ({ characters: [makeCard()] }),
    "GET characters/trending": () => ({ characters: [makeCard()] }),
    "GET search": () => ({ characters: [makeCard()], hasMore: false }),
  });
});
afterEach(() => vi.unstubAllGlobals());

it("lets a member explore, once the code of it has come", async () => {
  useRoot.getState().enter(makeUser());
  renderPage(<Home />, "/");
  expect(await screen.findByRole("region", { name: "Explore" })).toBeTruthy();
});

it("shows a visitor no more than the first row", async () => {
  renderPage(<Home />, "/");
  expect(await screen.findByRole("link", { name: /Vesper Lang/ })).toBeTruthy();
  expect(screen.queryByRole("heading", { name: "Trending Characters" })).toBeNull();
  expect(screen.queryByRole("region", { name: "Explore" })).toBeNull();
});
