import { QueryClientProvider, useInfiniteQuery } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { makeCard } from "@/test/make";
import { readAgain, watchNear } from "@/test/page";
import { createQueryClient } from "../api/query";
import { characterList, listFailure } from "../catalog/lists";
import { MemoryRouter } from "../router";
import { CharacterGrid } from "./CharacterGrid";

function List({ more }: { more: "button" | "scroll" }) {
  const list = useInfiniteQuery(characterList("characters/foryou", { sort: "new" }));
  return (
    <CharacterGrid
      list={list}
      more={more}
      minLoadingMs={0}
      failure={(error) => listFailure(error, "recommended")}
      empty="Nobody"
      end="That is all"
    />
  );
}

function show(answer: (page: number) => Response | Promise<Response>, more: "button" | "scroll" = "button") {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (url: string) => {
    asked.push(url);
    return Promise.resolve(answer(Number(new URL(url, "http://x").searchParams.get("page"))));
  });
  const client = createQueryClient();
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter>
        <List more={more} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return { asked, client };
}

const refused = () => new Response("{}", { status: 400 });
const page = (names: string[], hasMore: boolean) =>
  new Response(JSON.stringify({ characters: names.map((name) => makeCard({ _id: name, name })), hasMore }));

afterEach(() => vi.unstubAllGlobals());

describe("a list of characters", () => {
  it("shows twelve placeholders first, then appends pages until no more", async () => {
    const { asked } = show((n) => page(n === 1 ? ["Ann", "Bea"] : ["Bea", "Cleo"], n === 1));
    expect(document.querySelectorAll(".skeleton")).toHaveLength(12);
    await userEvent.click(await screen.findByRole("button", { name: "Load More" }));
    expect(await screen.findByRole("link", { name: /Cleo/ })).toBeTruthy();
    // Bea moved between the pages; she is there once.
    expect(screen.getAllByRole("link")).toHaveLength(3);
    expect(screen.getByText("That is all")).toBeTruthy();
    expect(asked[1]).toContain("page=2&limit=20");
  });

  it("tells a refusal from a missing answer, and tries again on demand", async () => {
    let broken = true;
    show(() => (broken ? refused() : page([], false)));
    expect(await screen.findByText("Failed to fetch recommended characters")).toBeTruthy();
    broken = false;
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(screen.getByText("Nobody")).toBeTruthy());
  });

  it("goes on by scrolling where reading it again failed", async () => {
    const comeNear = watchNear();
    let up = true;
    const { client } = show((n) => (up ? page(n === 1 ? ["Ann"] : ["Bea"], n === 1) : refused()), "scroll");
    await screen.findByRole("link", { name: /Ann/ });
    up = false;
    await readAgain(client);
    up = true;
    comeNear();
    expect(await screen.findByRole("link", { name: /Bea/ })).toBeTruthy();
  });
});
