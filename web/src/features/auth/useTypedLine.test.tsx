import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useTypedLine } from "./useTypedLine";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("a line that types itself", () => {
  it("comes letter by letter, and stays", () => {
    const { result } = renderHook(() => useTypedLine("Cue"));
    expect(result.current).toBe("");
    act(() => void vi.advanceTimersByTime(100));
    expect(result.current).toBe("C");
    act(() => void vi.advanceTimersByTime(100));
    act(() => void vi.advanceTimersByTime(100));
    expect(result.current).toBe("Cue");
    act(() => void vi.advanceTimersByTime(10_000));
    expect(result.current).toBe("Cue");
  });

  it("stands whole at once for who wants less motion", () => {
    vi.stubGlobal("matchMedia", () => ({
      matches: true,
      addEventListener: () => {},
      removeEventListener: () => {},
    }));
    expect(renderHook(() => useTypedLine("Cue")).result.current).toBe("Cue");
  });
});
