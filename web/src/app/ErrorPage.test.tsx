import { render, screen } from "@testing-library/react";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "@/shared/api/errors";
import { ErrorPage } from "./ErrorPage";

function broken(error: Error) {
  // React says on the console what the page is about to say itself.
  vi.spyOn(console, "error").mockImplementation(() => {});
  const loader = () => {
    throw error;
  };
  render(
    <RouterProvider
      router={createMemoryRouter([
        { path: "/", loader, element: null, hydrateFallbackElement: null, ErrorBoundary: ErrorPage },
      ])}
    />,
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
