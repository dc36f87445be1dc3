import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Case } from "@/shared/api/types";
import { readAgain, renderPage, serve } from "@/test/page";
import { decisionsFor } from "../reports";
import Moderation from "./Moderation";

const report = (changes: Partial<Case> = {}): Case => ({
  _id: "r1",
  number: "R-7K2M",
  kind: "report",
  subjectKind: "character",
  subjectId: "c1",
  subject: "the character Vesper Lang",
  reason: "impersonation",
  text: "That is a real singer.",
  state: "open",
  createdAt: "2026-11-20T10:00:00Z",
  dueAt: "2126-11-27T10:00:00Z",
  decision: null,
  reasons: null,
  decidedAt: null,
  appeal: null,
  appealedAt: null,
  appealReasons: null,
  concernsReader: false,
  reporterName: "",
  reporterEmail: "",
  concernedId: "u2",
  assets: [],
  ...changes,
});

afterEach(() => vi.unstubAllGlobals());

describe("what can be done about a report", () => {
  it("fits its subject", () => {
    expect(decisionsFor(report())).toEqual(["none", "limit", "quarantine", "remove", "restore", "suspend"]);
    expect(decisionsFor(report({ subjectKind: "review" }))).toEqual(["none", "remove", "suspend"]);
    expect(decisionsFor(report({ subjectKind: "other", concernedId: "" }))).toEqual(["none"]);
    expect(decisionsFor(report({ subjectKind: "other", concernedId: "", assets: ["a"] }))).toEqual([
      "none",
      "quarantine",
      "remove",
      "restore",
    ]);
  });
});

describe("the queue of reports", () => {
  it("decides with reasons, and is read anew", async () => {
    const open = [report()];
    const calls = serve({
      "GET admin/reports": () => ({ reports: [...open], total: open.length, hasMore: false }),
      "POST admin/reports/r1/decide": () => {
        open.length = 0;
        return { report: report({ state: "decided" }) };
      },
    });
    renderPage(<Moderation />, "/admin/reports");
    await userEvent.selectOptions(await screen.findByLabelText("Decision"), "Remove it");
    await userEvent.click(screen.getByRole("button", { name: /^Decide about/ }));
    const dialog = within(screen.getByRole("dialog"));
    await userEvent.type(dialog.getByLabelText("Reasons"), "The likeness of a real person.");
    await userEvent.click(dialog.getByRole("button", { name: "Remove it" }));
    expect(await screen.findByText("Nobody waits")).toBeTruthy();
    expect(calls.find((call) => call.method === "POST")?.body).toEqual({
      decision: "remove",
      reasons: "The likeness of a real person.",
    });
  });

  it("decides an appeal", async () => {
    const calls = serve({
      "GET admin/reports": () => ({
        reports: [report({ state: "appealed", decision: "remove", appeal: "She is nobody real." })],
        total: 1,
        hasMore: false,
      }),
      "POST admin/reports/r1/appeal": () => ({ report: report({ state: "closed" }) }),
    });
    renderPage(<Moderation />, "/admin/reports");
    expect(await screen.findByText("She is nobody real.")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: /^Grant/ }));
    const dialog = within(screen.getByRole("dialog"));
    await userEvent.type(dialog.getByLabelText("Reasons"), "We looked again.");
    await userEvent.click(dialog.getByRole("button", { name: "Grant the appeal" }));
    expect(calls.find((call) => call.method === "POST")?.body).toEqual({
      granted: true,
      reasons: "We looked again.",
    });
  });

  it("looks a person up before anything is done to them", async () => {
    let up = true;
    const found = {
      _id: "u2",
      username: "velvetfox",
      pfp: null,
      characters: 3,
      createdAt: "2026-01-01T00:00:00Z",
    };
    const calls = serve({
      "GET user/velvetfox": () => (up ? found : new Response("{}", { status: 500 })),
      "POST admin/users/u2/suspend": () => ({ msg: "The account is suspended." }),
    });
    const { client } = renderPage(<Moderation />, "/admin/people");
    await userEvent.type(screen.getByLabelText("Username or id"), "@velvetfox{Enter}");
    await userEvent.click(await screen.findByRole("button", { name: "Suspend" }));
    const dialog = within(screen.getByRole("dialog"));
    await userEvent.type(dialog.getByLabelText("Reasons"), "Spam.");
    // What is being written outlives a look that fails.
    up = false;
    await readAgain(client);
    await userEvent.click(dialog.getByRole("button", { name: "Suspend" }));
    expect(calls.find((call) => call.method === "POST")?.body).toEqual({ reason: "Spam." });
  });
});
