import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Report } from "@/shared/api/types";
import { useRoot } from "@/shared/store";
import { makeUser } from "@/test/make";
import { renderPage, serve } from "@/test/page";
import ReportStand from "./ReportStand";
import Reports from "./Reports";

const report = (changes: Partial<Report> = {}): Report => ({
  number: "TR-1",
  kind: "report",
  subjectKind: "character",
  subject: "the character Vesper Lang",
  reason: "spam",
  text: "Twice the same.",
  state: "open",
  createdAt: "2026-11-01T10:00:00Z",
  dueAt: "2026-11-11T10:00:00Z",
  decision: null,
  reasons: null,
  decidedAt: null,
  appeal: null,
  appealedAt: null,
  appealReasons: null,
  concernsReader: false,
  ...changes,
});
const decided = report({
  state: "decided",
  decision: "none",
  decidedAt: "2026-11-03T10:00:00Z",
  reasons: "It is an original.",
});

afterEach(() => vi.unstubAllGlobals());

describe("my reports", () => {
  it("lists them with where they stand", async () => {
    useRoot.getState().enter(makeUser());
    serve({
      "GET reports": () => ({
        reports: [report(), report({ number: "TR-2", state: "decided", concernsReader: true })],
        hasMore: false,
      }),
    });
    renderPage(<Reports />, "/reports");
    const row = await screen.findByRole("link", { name: /^Report: the character Vesper Lang/ });
    expect(within(row).getByText("Open")).toBeTruthy();
    expect(screen.getByRole("link", { name: /^A decision about/ }).getAttribute("href")).toBe(
      "/reports/TR-2",
    );
  });

  it("opens a report by its number for whoever has it", async () => {
    const calls = serve({});
    renderPage(<Reports />, "/reports");
    expect(screen.getByRole("link", { name: "Login" })).toBeTruthy();
    await userEvent.type(screen.getByLabelText(/^A number/), " tr-xsj5 {Enter}");
    expect(screen.getByTestId("elsewhere").textContent).toContain("/reports/TR-XSJ5");
    expect(calls).toEqual([]);
  });
});

describe("one report", () => {
  it("tells what comes next while it is open, and has nothing to appeal against", async () => {
    serve({ "GET reports/TR-1": () => ({ report: report() }) });
    renderPage(<ReportStand />, "/reports/:number", "/reports/TR-1");
    expect(await screen.findByText("To be decided by 11 November 2026")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Send appeal" })).toBeNull();
  });

  it("takes one appeal against a decision", async () => {
    const calls = serve({
      "GET reports/TR-1": () => ({ report: decided }),
      "POST reports/TR-1/appeal": () => ({
        report: { ...decided, state: "appealed", appeal: "It is mine.", appealedAt: "2026-11-04T10:00:00Z" },
      }),
    });
    renderPage(<ReportStand />, "/reports/:number", "/reports/TR-1");
    expect(await screen.findByText("It is an original.")).toBeTruthy();
    await userEvent.type(screen.getByLabelText("Why the decision is wrong"), "It is mine.");
    await userEvent.click(screen.getByRole("button", { name: "Send appeal" }));
    expect(await screen.findByText("Somebody else than before looks at it now")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Send appeal" })).toBeNull();
    expect(calls.at(-1)?.body ?? calls.at(-2)?.body).toEqual({ text: "It is mine." });
  });

  it("says that there is no such number", async () => {
    serve({});
    renderPage(<ReportStand />, "/reports/:number", "/reports/TR-NONE");
    expect(await screen.findByText("No such number")).toBeTruthy();
  });
});
