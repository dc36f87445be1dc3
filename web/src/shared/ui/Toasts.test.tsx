import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { toast } from "../toast";
import { ToastHost } from "./Toasts";

/** jsdom has no top layer and counts what would be in it as hidden. */
const HIDDEN = { hidden: true };

beforeEach(() => vi.useFakeTimers({ shouldAdvanceTime: true }));
afterEach(() => vi.useRealTimers());
const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms));

describe("toasts", () => {
  it("close by themselves after 3 seconds", () => {
    render(<ToastHost />);
    act(() => void toast.success("Character created successfully!"));
    pass(2900);
    expect(screen.getByRole("status", HIDDEN).textContent).toContain("Character created successfully!");
    pass(200);
    expect(screen.queryByRole("status", HIDDEN)).toBeNull();
  });

  it("wait while they are pointed at", async () => {
    const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
    render(<ToastHost />);
    act(() => void toast.error("Failed to load chat. Please try again."));
    await user.hover(screen.getByRole("alert", HIDDEN));
    pass(10_000);
    expect(screen.getByRole("alert", HIDDEN)).toBeTruthy();
    await user.unhover(screen.getByRole("alert", HIDDEN));
    pass(3100);
    expect(screen.queryByRole("alert", HIDDEN)).toBeNull();
  });

  it("close on demand, and say the same thing once", async () => {
    const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
    render(<ToastHost />);
    act(() => {
      toast.info("Affiliate program coming soon!");
      toast.info("Affiliate program coming soon!");
    });
    expect(screen.getAllByText("Affiliate program coming soon!")).toHaveLength(1);
    await user.click(screen.getByRole("button", { name: "Close", ...HIDDEN }));
    expect(screen.queryByText("Affiliate program coming soon!")).toBeNull();
  });

  it("offer to undo, each for itself, and close when that is done", async () => {
    const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
    const undone: string[] = [];
    render(<ToastHost />);
    act(() => {
      toast.undo("Picture deleted.", () => undone.push("first"));
      toast.undo("Picture deleted.", () => undone.push("second"));
    });
    pass(5000);
    const [first] = screen.getAllByRole("button", { name: "Undo", ...HIDDEN });
    await user.click(first as HTMLElement);
    expect(undone).toEqual(["first"]);
    expect(screen.getAllByText("Picture deleted.")).toHaveLength(1);
  });
});
