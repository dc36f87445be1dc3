import { ChevronLeft, ChevronRight, Pause, Play } from "lucide-react";
import { lazy, type ReactNode, useEffect, useRef, useState, type WheelEvent } from "react";
import { useReducedMotion } from "@/shared/hooks/useReducedMotion";
import { whenIdle } from "@/shared/idle";
import { CAROUSEL_MS } from "@/shared/limits";
import { IconButton } from "@/shared/ui";
import { Optional } from "@/shared/ui/Optional";
import { useMessages } from "../i18n";
import type { Carousel } from "./ShelfMotion";

const ShelfMotion = lazy(async () => {
  await new Promise<void>((idle) => whenIdle(idle));
  return import("./ShelfMotion");
});

/** So much sideways wheel is meant as one step, px; and this long it counts as the same turn, ms. */
const WHEEL_STEP_PX = 30;
const WHEEL_REST_MS = 350;

interface ShelfProps {
  id: string;
  title: string;
  /** How many cards `children` holds. */
  count: number;
  children: ReactNode;
}

/** A sideways turn of the wheel, or two fingers on a touchpad, is a step. */
function useWheel(go: (step: 1 | -1) => void) {
  const rest = useRef(0);
  return ({ deltaX, deltaY, timeStamp }: WheelEvent) => {
    if (Math.abs(deltaX) < Math.max(WHEEL_STEP_PX, Math.abs(deltaY)) || timeStamp < rest.current) return;
    rest.current = timeStamp + WHEEL_REST_MS;
    go(deltaX > 0 ? 1 : -1);
  };
}

/**
 * A row of cards that moves on by itself every three seconds, round and round. It rests while pointed at, focused,
 * paused or out of sight. Until the carousel's own code has come it is a list that scrolls.
 */
export function Shelf({ id, title, count, children }: ShelfProps) {
  const t = useMessages("row");
  const viewport = useRef<HTMLDivElement>(null);
  const still = useReducedMotion();
  const [carousel, setCarousel] = useState<Carousel | null>(null);
  const [paused, setPaused] = useState(false);
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const [current, setCurrent] = useState(0);
  const go = (step: 1 | -1) => carousel?.go(step);
  const wheel = useWheel(go);

  const moving = carousel && !still && !paused && !pointed && !focused && count > 1;
  useEffect(() => {
    if (!moving) return;
    const timer = setInterval(() => {
      if (!document.hidden) carousel.go(1);
    }, CAROUSEL_MS);
    return () => clearInterval(timer);
  }, [moving, carousel]);

  return (
    <section className="section" aria-labelledby={id}>
      <div className="section-head row-head">
        <h2 id={id}>{title}</h2>
        <div className="end">
          {!still && (
            <IconButton
              label={t(paused ? "goOn" : "pause")}
              className="shelf-pause"
              onClick={() => setPaused(!paused)}
            >
              {paused ? <Play className="icon" /> : <Pause className="icon" />}
            </IconButton>
          )}
          <IconButton label={t("previous")} outlined onClick={() => go(-1)}>
            <ChevronLeft className="icon" />
          </IconButton>
          <IconButton label={t("next")} outlined onClick={() => go(1)}>
            <ChevronRight className="icon" />
          </IconButton>
        </div>
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: pointing at the row or tabbing into it lets it rest. */}
      <div
        className={carousel ? "shelf-view live" : "shelf-view"}
        ref={viewport}
        onPointerEnter={() => setPointed(true)}
        onPointerLeave={() => setPointed(false)}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
        onWheel={wheel}
      >
        <div className="shelf">{children}</div>
      </div>
      <div className="ticks" aria-hidden="true">
        {Array.from({ length: count }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a tick is its place.
          <i key={index} className={index === current ? "on" : undefined} />
        ))}
      </div>
      <Optional>
        <ShelfMotion viewport={viewport} still={still} onReady={setCarousel} onSelect={setCurrent} />
      </Optional>
    </section>
  );
}
