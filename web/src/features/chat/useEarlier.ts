import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import type { Past } from "./useHistory";

/** This close to the first message, those before it are fetched, px. */
const NEAR_START_PX = 1500;
/** This close, the reader has come to what is not there yet, px. */
const AT_START_PX = 160;

export interface EarlierState {
  phase: "idle" | "fetching" | "failed";
  /** The reader stands before the first message. */
  atStart: boolean;
  /** Null when nothing comes before it. */
  fetchMore: (() => Promise<boolean>) | null;
}

/** Fetches earlier messages before the reader has come to the first one. What failed waits to be asked for. */
export function useEarlier(
  scroller: RefObject<HTMLElement | null>,
  onEarlier: Past["earlier"],
): EarlierState {
  const [phase, setPhase] = useState<EarlierState["phase"]>("idle");
  const [atStart, setAtStart] = useState(false);
  const busy = useRef(false);

  const fetchMore = useCallback(async () => {
    if (!onEarlier || busy.current) return false;
    busy.current = true;
    setPhase("fetching");
    const came = await onEarlier();
    busy.current = false;
    setPhase(came ? "idle" : "failed");
    return came;
  }, [onEarlier]);

  const idle = phase === "idle";
  useEffect(() => {
    const box = scroller.current;
    if (!box || !onEarlier) return;
    const look = () => {
      setAtStart(box.scrollTop < AT_START_PX);
      if (idle && box.scrollTop < NEAR_START_PX) void fetchMore();
    };
    look();
    box.addEventListener("scroll", look, { passive: true });
    return () => box.removeEventListener("scroll", look);
  }, [scroller, onEarlier, idle, fetchMore]);

  return { phase, atStart, fetchMore: onEarlier ? fetchMore : null };
}
