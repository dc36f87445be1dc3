import { useEffect, useState } from "react";
import { TAGLINE_MS } from "@/shared/limits";

interface Frame {
  line: number;
  /** Letters of the line that stand on the page. */
  shown: number;
  erasing: boolean;
}

/** The next state of the typing line and how long to wait for it, ms. */
export function nextFrame(frame: Frame, lines: readonly string[]): { frame: Frame; waitMs: number } {
  const length = Array.from(lines[frame.line] ?? "").length;
  if (!frame.erasing) {
    if (frame.shown < length) return { frame: { ...frame, shown: frame.shown + 1 }, waitMs: TAGLINE_MS.type };
    return { frame: { ...frame, erasing: true }, waitMs: TAGLINE_MS.hold };
  }
  if (frame.shown > 0) return { frame: { ...frame, shown: frame.shown - 1 }, waitMs: TAGLINE_MS.erase };
  return {
    frame: { line: (frame.line + 1) % lines.length, shown: 0, erasing: false },
    waitMs: TAGLINE_MS.gap,
  };
}

/** What of the rotating line is typed right now. Paused, it shows a whole line. */
export function useTagline(lines: readonly string[], paused: boolean): string {
  const [frame, setFrame] = useState<Frame>({ line: 0, shown: 0, erasing: false });
  useEffect(() => {
    if (paused) return;
    const next = nextFrame(frame, lines);
    const timer = setTimeout(() => setFrame(next.frame), next.waitMs);
    return () => clearTimeout(timer);
  }, [frame, lines, paused]);
  const line = lines[frame.line] ?? "";
  return paused ? line : Array.from(line).slice(0, frame.shown).join("");
}
