import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { makeCard, makeUser } from "@/test/make";
import type { CharacterCard } from "../api/types";
import { MemoryRouter, Routes, useLocation } from "../router";
import { useRoot } from "../store";
import { AgeDialog } from "./AgeDialog";
import { Playbill } from "./Playbill";

function Where() {
  const { pathname, state } = useLocation();
  return <output>{`${pathname} ${JSON.stringify(state)}`}</output>;
}

function show(card: CharacterCard) {
  return render(
    <MemoryRouter at="/tag/elf">
      <Routes
        routes={[
          { path: "/tag/elf", element: <Playbill character={card} /> },
          { path: "*", element: <Where /> },
        ]}
      />
      <AgeDialog />
    </MemoryRouter>,
  );
}

afterEach(() => vi.unstubAllGlobals());

describe("a playbill", () => {
  it("leads to the character and passes it along", async () => {
    show(makeCard());
    await userEvent.click(screen.getByRole("link", { name: /Vesper Lang/ }));
    expect(screen.getByText(/^\/character\/c1 .*"name":"Vesper Lang"/)).toBeTruthy();
  });

  it("shortens its text and its counts", () => {
    show(makeCard({ description: "word ".repeat(60) }));
    expect(screen.getByText(/^(word ?)+…$/).textContent?.length).toBeLessThanOrEqual(150);
    expect(screen.getByText("62.9k")).toBeTruthy();
  });
});

describe("an NSFW playbill", () => {
  const nsfw = makeCard({ nsfw: true, locked: true, description: "", imageUrl: null });

  it("stays behind its curtain, with no way to the character", () => {
    show(nsfw);
    expect(screen.getByText("XXX")).toBeTruthy();
    expect(screen.queryByRole("link")).toBeNull();
  });

  it("is covered while NSFW is off even when the server sent it whole", () => {
    show(makeCard({ nsfw: true }));
    expect(screen.queryByRole("link")).toBeNull();
  });

  it("sends a visitor who asks to the login, and back", async () => {
    show(nsfw);
    await userEvent.click(screen.getByRole("button", { name: /Show/ }));
    expect(screen.getByText('/login {"redirectPath":"/tag/elf"}')).toBeTruthy();
  });

  it("asks a member for their age; 'Go back' changes nothing", async () => {
    useRoot.getState().enter(makeUser());
    show(nsfw);
    await userEvent.click(screen.getByRole("button", { name: /Show/ }));
    expect(screen.getByRole("dialog", { name: "Confirm your age" })).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Go back" }));
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(useRoot.getState().nsfw).toBe(false);
  });

  it("opens once they are over 18", async () => {
    vi.stubGlobal("fetch", () =>
      Promise.resolve(new Response(JSON.stringify({ preferences: { ageConfirmed: true, nsfw: true } }))),
    );
    useRoot.getState().enter(makeUser());
    show(makeCard({ nsfw: true }));
    await userEvent.click(screen.getByRole("button", { name: /Show/ }));
    await userEvent.click(screen.getByRole("button", { name: "I'm over 18" }));
    expect(await screen.findByRole("link", { name: /Vesper Lang/ })).toBeTruthy();
  });
});
