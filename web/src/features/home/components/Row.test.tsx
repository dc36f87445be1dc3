import { screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { makeCard } from "@/test/make";
import { readAgain, renderPage, serve } from "@/test/page";
import { Row } from "./Row";

/** jsdom measures nothing, so the row stays a list. */
vi.mock("./ShelfMotion", () => ({ default: () => null }));
afterEach(() => vi.unstubAllGlobals());

const FAILED = "Failed to load characters. Please try again.";

it("keeps its cards where it cannot be read again, and says so only where it has none", async () => {
  let up = true;
  serve({
    "GET characters/trending": () =>
      up ? { characters: [makeCard()] } : new Response("{}", { status: 500 }),
  });
  const row = <Row row="trending" />;
  const { client, unmount } = renderPage(row, "/");
  await screen.findByText("Vesper Lang");
  up = false;
  await readAgain(client);
  expect(screen.getByText("Vesper Lang")).toBeTruthy();
  expect(screen.queryByText(FAILED)).toBeNull();
  unmount();

  renderPage(row, "/");
  expect(await screen.findByText(FAILED)).toBeTruthy();
});
