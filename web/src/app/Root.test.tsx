import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { Link, MemoryRouter, Routes } from "@/shared/router";
import { Root } from "./Root";

function open() {
  render(
    <MemoryRouter>
      <Root>
        <Routes
          routes={[
            { path: "/", element: <h1>The page</h1> },
            { path: "/top-creators", element: <h1>Top Creators</h1> },
          ]}
        />
      </Root>
      <Link to="/?sort=New">New</Link>
      <Link to="/top-creators">Top Creators</Link>
    </MemoryRouter>,
  );
}

afterEach(() => vi.unstubAllGlobals());

it("lets go of chats that were kept after their reader had gone", async () => {
  const caches = new Set(["chats-u1", "shell"]);
  vi.stubGlobal("caches", {
    keys: async () => [...caches],
    delete: async (name: string) => caches.delete(name),
  });
  open();
  expect(screen.getByRole("heading", { name: "The page" })).toBeTruthy();
  await expect.poll(() => [...caches]).toEqual(["shell"]);
});

it("says in the head of a page nothing of the page before", async () => {
  const tags = () => document.head.querySelectorAll("link[rel=canonical], meta").length;
  document.head.innerHTML = `<meta name="viewport" content="width=device-width">
    <meta property="og:title" content="Vesper Lang"><meta name="robots" content="noindex">
    <link rel="canonical" href="https://troupe.test/character/c1">`;
  open();
  await userEvent.click(screen.getByRole("link", { name: "New" }));
  expect(tags()).toBe(4);
  await userEvent.click(screen.getByRole("link", { name: "Top Creators" }));
  expect(screen.getByRole("heading", { name: "Top Creators" })).toBeTruthy();
  expect(tags()).toBe(1);
  document.head.innerHTML = "";
});
