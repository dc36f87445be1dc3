import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { makeCard, makeUser } from "@/test/make";
import { useReportQuestion } from "../report";
import { MemoryRouter } from "../router";
import { useRoot } from "../store";
import { toast, useToasts } from "../toast";
import { CardMenu } from "./CardMenu";
import { ReportHost } from "./ReportHost";
import { ToastHost } from "./Toasts";

const lost = vi.hoisted(() => ({ toaster: false }));
const gone = () => new TypeError("Failed to fetch dynamically imported module: /assets/x.js");
vi.mock("./ReportDialog", () => {
  throw gone();
});
vi.mock("./CardActions", () => {
  throw gone();
});
vi.mock("./Toaster", async (original) => {
  if (lost.toaster) throw gone();
  return original();
});

// React says on the console what was caught.
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

const said = () => useToasts.getState().toasts.map(({ text }) => text);

describe("a part whose code does not come", () => {
  it("leaves the page as it is: messages wait for the next try", async () => {
    lost.toaster = true;
    render(
      <>
        <h1>The page</h1>
        <ToastHost />
      </>,
    );
    act(() => void toast.error("Not saved."));
    await expect(import("./Toaster")).rejects.toThrow();
    expect(screen.getByRole("heading", { name: "The page" })).toBeTruthy();
    lost.toaster = false;
    act(() => void toast.success("Saved."));
    expect(await screen.findByText("Saved.")).toBeTruthy();
    expect(screen.getByText("Not saved.")).toBeTruthy();
  });

  it("says so to whoever asked for it, and takes the question back", async () => {
    render(
      <>
        <h1>The page</h1>
        <ReportHost />
      </>,
    );
    act(() => useReportQuestion.getState().ask({ kind: "character", id: "c1", name: "Vesper Lang" }));
    await waitFor(() => expect(said()).toEqual(["A newer version is out. Reload to get it."]));
    expect(useReportQuestion.getState().subject).toBeNull();
    expect(screen.getByRole("heading", { name: "The page" })).toBeTruthy();
  });

  it("leaves a card the button of its menu, with the focus on it", async () => {
    useRoot.getState().enter(makeUser());
    render(
      <MemoryRouter>
        <CardMenu character={makeCard()} />
      </MemoryRouter>,
    );
    await userEvent.click(screen.getByRole("button", { name: "More about Vesper Lang" }));
    await waitFor(() => expect(said()).toEqual(["A newer version is out. Reload to get it."]));
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "More about Vesper Lang" }));
  });
});
