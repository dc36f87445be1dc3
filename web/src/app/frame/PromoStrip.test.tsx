import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MemoryRouter } from "@/shared/router";
import { PromoStrip } from "./PromoStrip";

beforeEach(() => vi.useFakeTimers({ now: Date.parse("2026-11-21T12:00:00Z") }));
afterEach(() => vi.useRealTimers());

describe("the promotion", () => {
  it("leads to the membership page with its code and counts down each second", () => {
    render(
      <MemoryRouter>
        <PromoStrip />
      </MemoryRouter>,
    );
    const clock = screen.getByRole("timer");
    expect(screen.getByRole("link").getAttribute("href")).toBe("/membership");
    expect(screen.getByText("SPOOKYSZN")).toBeTruthy();
    expect(clock.textContent).toBe("12:16:48");
    act(() => void vi.advanceTimersByTime(3000));
    expect(clock.textContent).toBe("12:16:45");
  });

  it("begins again when the window has passed", () => {
    render(
      <MemoryRouter>
        <PromoStrip />
      </MemoryRouter>,
    );
    act(() => void vi.advanceTimersByTime(44_208_000 + 1000));
    expect(screen.getByRole("timer").textContent).toMatch(/^12:16:4/);
  });
});
