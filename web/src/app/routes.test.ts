import { describe, expect, it } from "vitest";
import { paths } from "@/shared/paths";
import { firstMatch } from "@/shared/router";
import { EVERYWHERE } from "../../e2e/addresses";
import { arrivals } from "./arrivals";
import { routes } from "./routes";

const pageOf = (address: string, table: ReadonlyArray<{ path: string }> = routes) =>
  firstMatch(table, address)?.path;

describe("the route table", () => {
  it.each([
    "/",
    "/home",
    "/about",
    "/legal",
    "/legal/guidelines",
    "/legal/terms",
    "/legal/privacy",
    "/legal/underage",
    "/legal/content-removal",
    "/legal/blocked-content",
    "/legal/dmca",
    "/legal/2257",
    "/complaint",
    "/search",
    "/signup",
    "/verify",
    "/login",
    "/forgot",
    "/reset",
    "/top-creators",
    "/favorites",
    "/my-characters",
    "/my-images",
    "/following",
    "/for-you",
    "/character/create",
    "/image/create",
    "/character/edit",
    "/categories",
    "/tag/elf",
    "/creator/velvetfox",
    "/chats",
    "/personas",
    "/personas/lorebooks",
    "/reports",
    "/reports/R-1",
    "/membership",
    "/account",
    "/account/blocks",
    "/notifications",
    "/admin",
    "/admin/images",
    "/admin/reports",
    "/admin/people",
    "/character/018f",
    "/character/018f/chat",
  ])("answers %s", (address) => expect(pageOf(address)).toBeDefined());

  it("is walked from end to end by the tests that look at every page", () => {
    const walked = new Set(EVERYWHERE.map(({ path }) => pageOf(path.replace(/\?.*/, ""))));
    expect(routes.map(({ path }) => path).filter((path) => !walked.has(path))).toEqual([]);
  });

  it("holds every page whose files the server names early, and each of them in that order", () => {
    for (const [path] of arrivals) expect(routes.map((route) => route.path)).toContain(path);
    const early = arrivals.map(([path]) => ({ path }));
    for (const { path } of early) expect(pageOf(path, early)).toBe(path);
  });

  it("does not take create and edit for characters", () => {
    expect(pageOf(paths.createCharacter)).toBe("/character/create");
    expect(pageOf("/character/edit")).toBe("/character/edit");
    expect(pageOf(paths.character("018f"))).toBe("/character/:id");
  });
});
