import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { pageFromCard } from "@/features/characters/api";
import Profile from "@/features/characters/pages/Profile";
import { queryClient } from "@/shared/api/query";
import { writeToken } from "@/shared/api/token";
import { MemoryRouter, Routes } from "@/shared/router";
import { makeCard } from "@/test/make";
import { serve } from "@/test/page";
import { takeAnswer } from "./answered";

afterEach(() => {
  document.head.innerHTML = "";
  vi.unstubAllGlobals();
});

/** The page of a character, whose server wrote its answer into it and says nothing more. */
function open() {
  const written = document.createElement("script");
  written.id = "answer";
  written.type = "application/json";
  written.textContent = JSON.stringify(pageFromCard(makeCard()));
  document.head.append(written);
  const calls = serve({ "GET character/c1": () => new Promise(() => {}) });
  takeAnswer();
  render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter at="/character/c1">
        <Routes routes={[{ path: "/character/:id", element: <Profile /> }]} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return calls;
}

it("shows a visitor the character that came with the page, and asks for it meanwhile", () => {
  const calls = open();
  expect(screen.getByRole("heading", { level: 1, name: "Vesper Lang" })).toBeTruthy();
  expect(calls.map((call) => call.path)).toContain("character/c1");
});

it("waits for what somebody with an account is answered", () => {
  writeToken("a token");
  const calls = open();
  expect(screen.queryByRole("heading", { level: 1 })).toBeNull();
  expect(calls.map((call) => call.path)).toContain("character/c1");
});
