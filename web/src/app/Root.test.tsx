import { render, screen } from "@testing-library/react";
import { MemoryRouter, Route, Routes } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import { Root } from "./Root";

afterEach(() => vi.unstubAllGlobals());

it("lets go of chats that were kept after their reader had gone", async () => {
  const caches = new Set(["chats-u1", "shell"]);
  vi.stubGlobal("caches", {
    keys: async () => [...caches],
    delete: async (name: string) => caches.delete(name),
  });
  render(
    <MemoryRouter>
      <Routes>
        <Route Component={Root}>
          <Route path="/" element={<h1>The page</h1>} />
        </Route>
      </Routes>
    </MemoryRouter>,
  );
  expect(screen.getByRole("heading", { name: "The page" })).toBeTruthy();
  await expect.poll(() => [...caches]).toEqual(["shell"]);
});
