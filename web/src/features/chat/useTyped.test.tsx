import { act, renderHook } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { typedAfter, useTyped } from "./useTyped";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Characters shown after `ms` at 60 frames a second. */
const after = (ms: number, total: number, keepUp: boolean) => {
  let shown = 0;
  for (let at = 0; at < ms; at += 16) shown = typedAfter(shown, total, 16, keepUp);
  return Math.floor(shown);
};

it("types a greeting at 22 ms a character", () => {
  expect(after(2200, 900, false)).toBeGreaterThanOrEqual(98);
  expect(after(2200, 900, false)).toBeLessThanOrEqual(102);
});

it("never lags far behind a stream", () => {
  // A thousand characters at once are there within three seconds, not in 22.
  expect(after(3000, 1000, true)).toBe(1000);
  // A short piece still comes letter by letter.
  expect(after(110, 10, true)).toBeLessThan(10);
});

it("shows a message that was there before at once, and whole", () => {
  const { result } = renderHook(() => useTyped("*She turns.*", false, true));
  expect(result.current).toEqual({ text: "*She turns.*", typing: false });
});

it("shows everything at once to readers who asked for less motion", () => {
  vi.stubGlobal("matchMedia", () => ({ matches: true, addEventListener() {}, removeEventListener() {} }));
  const { result } = renderHook(() => useTyped("*She turns.*", true, true));
  expect(result.current).toEqual({ text: "*She turns.*", typing: false });
});

it("keeps its pace where several pieces come between two frames", () => {
  vi.useFakeTimers({ toFake: ["requestAnimationFrame", "cancelAnimationFrame", "performance"] });
  const { result, rerender } = renderHook(({ text }) => useTyped(text, true, false), {
    initialProps: { text: "S" },
  });
  for (let piece = 1; piece <= 400; piece++) {
    rerender({ text: "S".repeat(1 + piece) });
    act(() => void vi.advanceTimersByTime(5));
  }
  // Two seconds, of which a frame a piece may be missing.
  expect(result.current.text.length).toBeGreaterThan(80);
});
