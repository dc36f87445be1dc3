import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { MAX_SEARCH_TAGS } from "@/shared/limits";
import { useRoot } from "@/shared/store";
import { makeCard, makeUser } from "@/test/make";
import { renderPage, serve } from "@/test/page";
import { Explore } from "./Explore";

afterEach(() => vi.unstubAllGlobals());

it("lets as many tags be chosen as the search takes", async () => {
  useRoot.getState().enter(makeUser());
  serve({ "GET search": () => ({ characters: [makeCard()], hasMore: false }) });
  renderPage(<Explore />, "/");
  await userEvent.click(screen.getByRole("button", { name: /^Show \d+ more$/ }));
  const chips = screen.getAllByRole<HTMLButtonElement>("button", { pressed: false });
  for (const chip of chips.slice(0, MAX_SEARCH_TAGS)) await userEvent.click(chip);
  expect(screen.getAllByRole("button", { pressed: true })).toHaveLength(MAX_SEARCH_TAGS);
  await userEvent.click(chips[MAX_SEARCH_TAGS] as HTMLButtonElement);
  expect(screen.getAllByRole("button", { pressed: true })).toHaveLength(MAX_SEARCH_TAGS);
  expect(chips[MAX_SEARCH_TAGS]?.disabled).toBe(true);
});
