import { useEffect, useState } from "react";
import { useReducedMotion } from "@/shared/hooks/useReducedMotion";
import { TAGLINE_MS } from "@/shared/limits";

/** Types a line once, letter by letter; whole at once for readers who asked for less motion. */
export function useTypedLine(line: string): string {
  const still = useReducedMotion();
  const [typed, setTyped] = useState(0);
  useEffect(() => {
    if (still || typed >= line.length) return;
    const timer = setTimeout(() => setTyped(typed + 1), TAGLINE_MS.type);
    return () => clearTimeout(timer);
  }, [still, typed, line]);
  return still ? line : line.slice(0, typed);
}
