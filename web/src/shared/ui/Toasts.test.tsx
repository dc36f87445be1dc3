import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { StrictMode } from "react";
import { describe, expect, it, vi } from "vitest";
import { CHAT_TOAST_MS } from "../limits";
import { toast, useToasts } from "../toast";
import { ToastHost } from "./Toasts";

/** jsdom has no top layer and counts what would be in it as hidden. */
const HIDDEN = { hidden: true };
const line = (text: string) => screen.findByText(text);
/** The line under a toast; when it has run out, the toast closes. */
const life = (text: string) =>
  screen.getByText(text).closest(".toast")?.querySelector<HTMLElement>(".toast-life") as HTMLElement;
/** jsdom knows no AnimationEvent, so React listens for the older name of its end. */
const ran = (text: string) => fireEvent(life(text), new Event("webkitAnimationEnd", { bubbles: true }));

describe("toasts", () => {
  it("have their place before the first is said, from the first press on", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    render(<ToastHost />);
    await act(() => vi.advanceTimersByTimeAsync(60_000));
    vi.useRealTimers();
    await act(() => vi.dynamicImportSettled());
    expect(screen.queryByLabelText("Messages")).toBeNull();
    await userEvent.click(document.body);
    expect(await screen.findByLabelText("Messages")).toBeTruthy();
  });

  it("show what was said before their code came, also where the page is put together twice", async () => {
    render(
      <StrictMode>
        <ToastHost />
      </StrictMode>,
    );
    act(() => void toast.error("Server Error"));
    expect((await screen.findByRole("alert", HIDDEN)).textContent).toBe("Server Error");
    expect(screen.getAllByRole("alert", HIDDEN)).toHaveLength(1);
  });

  it("close by themselves after 3 seconds, or what they were given", async () => {
    render(<ToastHost />);
    act(() => {
      toast.success("Character created successfully!");
      toast.error("Failed to load chat. Please try again.", { lifeMs: CHAT_TOAST_MS, draggable: true });
    });
    expect((await screen.findByRole("status", HIDDEN)).textContent).toBe("Character created successfully!");
    expect(screen.getByRole("alert", HIDDEN).textContent).toBe("Failed to load chat. Please try again.");
    expect(life("Character created successfully!").style.animationDuration).toBe("3000ms");
    expect(life("Failed to load chat. Please try again.").style.animationDuration).toBe("5000ms");
    ran("Character created successfully!");
    await waitFor(() => expect(screen.queryByRole("status", HIDDEN)).toBeNull());
    expect(useToasts.getState().toasts).toHaveLength(1);
  });

  it("wait while they are pointed at, or stepped into", async () => {
    render(<ToastHost />);
    act(() => void toast.error("Server Error"));
    const shown = await screen.findByRole("alert", HIDDEN);
    await userEvent.hover(shown);
    expect(life("Server Error").style.animationPlayState).toBe("paused");
    await userEvent.unhover(shown);
    expect(life("Server Error").style.animationPlayState).toBe("running");
    fireEvent.focusIn(screen.getByRole("button", { name: "Close", ...HIDDEN }));
    expect(life("Server Error").style.animationPlayState).toBe("paused");
  });

  it("close on demand, and say the same thing once", async () => {
    render(<ToastHost />);
    act(() => {
      toast.info("Affiliate program coming soon!");
      toast.info("Affiliate program coming soon!");
    });
    await line("Affiliate program coming soon!");
    await userEvent.click(screen.getByRole("button", { name: "Close", ...HIDDEN }));
    await waitFor(() => expect(screen.queryByText("Affiliate program coming soon!")).toBeNull());
    expect(useToasts.getState().toasts).toEqual([]);
  });

  it("offer to undo, each for itself, and close when that is done", async () => {
    const undone: string[] = [];
    render(<ToastHost />);
    act(() => {
      toast.undo("Picture deleted.", () => undone.push("first"));
      toast.undo("Picture deleted.", () => undone.push("second"));
    });
    const [first] = await screen.findAllByRole("button", { name: "Undo", ...HIDDEN });
    await userEvent.click(first as HTMLElement);
    expect(undone).toEqual(["first"]);
    await waitFor(() => expect(screen.getAllByText("Picture deleted.")).toHaveLength(1));
  });
});
