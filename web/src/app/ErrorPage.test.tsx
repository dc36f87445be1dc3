import { render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "@/shared/api/errors";
import { MemoryRouter } from "@/shared/router";
import { ErrorBoundary } from "./ErrorBoundary";

function Broken({ error }: { error: Error }): never {
  throw error;
}

function broken(error: Error) {
  // React says on the console what the page is about to say itself.
  vi.spyOn(console, "error").mockImplementation(() => {});
  render(
    <MemoryRouter>
      <ErrorBoundary>
        <Broken error={error} />
      </ErrorBoundary>
    </MemoryRouter>,
  );
}
afterEach(() => vi.restoreAllMocks());

describe("a page that broke", () => {
  it("names the request that it broke over", async () => {
    broken(new ApiError("Nope", 500, "internal", {}, null, "4f0c"));
    expect(await screen.findByRole("heading", { name: "A line was dropped" })).toBeTruthy();
    expect(screen.getByText("4f0c")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Copy the number" })).toBeTruthy();
  });

  it("asks for a reload when its code is of a version that is gone", async () => {
    broken(new TypeError("Failed to fetch dynamically imported module: /assets/x.js"));
    expect(await screen.findByRole("heading", { name: "This page has been renewed" })).toBeTruthy();
    expect(screen.queryByText(/tell/)).toBeNull();
  });
});
