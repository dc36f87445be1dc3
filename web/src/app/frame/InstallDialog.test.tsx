import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { useInstall } from "@/shared/install";
import { useToasts } from "@/shared/toast";
import { InstallDialog } from "./InstallDialog";

afterEach(() => useInstall.setState({ open: false, offer: null }));

describe("installing the app", () => {
  it("shows the steps of an iPhone", () => {
    useInstall.getState().show();
    render(<InstallDialog />);
    expect(screen.getByRole("heading", { name: "Install App" })).toBeTruthy();
    expect(screen.getByText("Share")).toBeTruthy();
    expect(screen.getByText("Add to Home Screen")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Install" })).toBeNull();
  });

  it("asks the browser's own question where it has one, once", async () => {
    const prompt = vi.fn(() => Promise.resolve({ outcome: "accepted" as const }));
    const event = Object.assign(new Event("beforeinstallprompt", { cancelable: true }), { prompt });
    globalThis.dispatchEvent(event);
    expect(event.defaultPrevented).toBe(true);
    render(<InstallDialog />);
    act(() => useInstall.getState().show());
    await userEvent.click(screen.getByRole("button", { name: "Install" }));
    expect(prompt).toHaveBeenCalledOnce();
    expect(useInstall.getState()).toMatchObject({ open: false, offer: null });
    expect(useToasts.getState().toasts).toHaveLength(1);
  });
});
