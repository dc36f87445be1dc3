import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { User } from "@/shared/api/types";
import { useRoot } from "@/shared/store";
import { makeCard, makeUser } from "@/test/make";
import { renderPage, serve } from "@/test/page";
import Creator from "./Creator";

const PATH = "/creator/:username";
const fox = (changes: Partial<User> = {}) =>
  makeUser({ _id: "u2", username: "velvetfox", characters: 1, followerCount: 12, ...changes });
const people = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ _id: `p${from + i}`, username: `guest${from + i}`, pfp: null }));
const routes = {
  "GET characters/tag/me": () => ({ characters: [makeCard()], hasMore: false }),
  "GET blocks": () => ({ blocks: [] as object[] }),
};

afterEach(() => vi.unstubAllGlobals());

describe("a creator's page", () => {
  it("pages through all followers", async () => {
    const calls = serve({
      ...routes,
      "GET user/velvetfox": () => fox(),
      "GET user/u2/followers": ({ query }) =>
        query.get("page") === "1"
          ? { followers: people(1, 10), totalPages: 2 }
          : { followers: people(11, 2), totalPages: 2 },
    });
    renderPage(<Creator />, PATH, "/creator/velvetfox?tab=followers");
    expect(await screen.findByRole("link", { name: "guest10" })).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Load More" }));
    expect(await screen.findByRole("link", { name: "guest12" })).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Load More" })).toBeNull();
    expect(calls.at(-1)?.query.get("limit")).toBe("10");
  });

  it("says how many follow where none of them is listed", async () => {
    serve({
      ...routes,
      "GET user/velvetfox": () => fox(),
      "GET user/u2/followers": () => ({ followers: [], totalPages: 0 }),
    });
    renderPage(<Creator />, PATH, "/creator/velvetfox?tab=followers");
    expect(await screen.findByRole("heading", { name: "12 followers" })).toBeTruthy();
  });

  it("offers a sponsor link only where it is a web address", async () => {
    serve({ ...routes, "GET user/velvetfox": () => fox({ sponsorMeLink: "https://example.com/fox" }) });
    const { unmount } = renderPage(<Creator />, PATH, "/creator/velvetfox");
    const link = await screen.findByRole("link", { name: "Sponsor velvetfox" });
    expect(link.getAttribute("rel")).toContain("noopener");
    unmount();
    serve({ ...routes, "GET user/velvetfox": () => fox({ sponsorMeLink: "javascript:alert(1)" }) });
    renderPage(<Creator />, PATH, "/creator/velvetfox");
    await screen.findByRole("heading", { level: 1, name: "velvetfox" });
    expect(screen.queryByRole("link", { name: /^Sponsor/ })).toBeNull();
  });

  it("shows one's own with address, badge and no Follow", async () => {
    const me = fox({ email: "fox@example.com", badge: true });
    useRoot.getState().enter(me);
    serve({ ...routes, "GET user/velvetfox": () => me });
    renderPage(<Creator />, PATH, "/creator/velvetfox");
    expect(await screen.findByText("fox@example.com")).toBeTruthy();
    expect(screen.getByText("Creator")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Follow" })).toBeNull();
    expect(screen.getByRole("link", { name: "My reports" }).getAttribute("href")).toBe("/reports");
  });

  it("gives the badge to who pays, and to nobody else", async () => {
    serve({ ...routes, "GET user/velvetfox": () => fox({ badge: true }) });
    const { unmount } = renderPage(<Creator />, PATH, "/creator/velvetfox");
    expect(await screen.findByText("Creator")).toBeTruthy();
    unmount();
    serve({ ...routes, "GET user/velvetfox": () => fox() });
    renderPage(<Creator />, PATH, "/creator/velvetfox");
    await screen.findByText("Here since 1 January 2026");
    expect(screen.queryByText("Creator")).toBeNull();
  });

  it("keeps a blocked creator's characters away until they are unblocked", async () => {
    useRoot.getState().enter(makeUser());
    let blocks = [{ kind: "creator", target: "u2", label: "velvetfox" }];
    serve({
      ...routes,
      "GET user/velvetfox": () => fox(),
      "GET blocks": () => ({ blocks }),
      "POST blocks": () => {
        blocks = [];
        return { blocks };
      },
    });
    renderPage(<Creator />, PATH, "/creator/velvetfox");
    const panel = within(await screen.findByRole("tabpanel"));
    expect(await panel.findByRole("heading", { name: "You have blocked velvetfox" })).toBeTruthy();
    await userEvent.click(panel.getByRole("button", { name: "Unblock" }));
    expect(await panel.findByText("Vesper Lang")).toBeTruthy();
  });
});
