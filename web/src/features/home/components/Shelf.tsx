import { ChevronLeft, ChevronRight, Pause, Play } from "lucide-react";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { useReducedMotion } from "@/shared/hooks/useReducedMotion";
import { CAROUSEL_MS } from "@/shared/limits";
import { IconButton } from "@/shared/ui";

interface ShelfProps {
  id: string;
  title: string;
  /** How many cards `children` holds. */
  count: number;
  children: ReactNode;
}

/** How far along its way a row is: 0 at the start, 1 where it cannot scroll on. */
function progressOf(row: HTMLElement): number {
  const way = row.scrollWidth - row.clientWidth;
  return way > 0 ? Math.min(1, Math.max(0, row.scrollLeft / way)) : 0;
}

/** Which card stands at the left edge, and whether the row is at its end. */
function positionOf(row: HTMLElement): { index: number; atEnd: boolean } {
  const cards = Array.from(row.children) as HTMLElement[];
  const left = row.scrollLeft + Number.parseFloat(getComputedStyle(row).scrollPaddingLeft || "0");
  let index = 0;
  for (const [i, card] of cards.entries()) if (card.offsetLeft - row.offsetLeft <= left + 8) index = i;
  return { index, atEnd: row.scrollLeft + row.clientWidth >= row.scrollWidth - 8 };
}

/**
 * A row of cards that moves on by itself every three seconds and begins again at its end. It scrolls natively, so
 * fingers, wheels and the Tab key work as everywhere; it rests while pointed at, focused, paused or out of sight.
 */
export function Shelf({ id, title, count, children }: ShelfProps) {
  const row = useRef<HTMLDivElement>(null);
  const still = useReducedMotion();
  const [paused, setPaused] = useState(false);
  const [resting, setResting] = useState(false);
  const [current, setCurrent] = useState(0);

  const go = useCallback((step: 1 | -1) => {
    const element = row.current;
    if (!element) return;
    const { index, atEnd } = positionOf(element);
    const lastIndex = element.children.length - 1;
    let target = index + step;
    if (step > 0 && atEnd) target = 0;
    else if (target < 0) target = lastIndex;
    const first = element.children[0] as HTMLElement | undefined;
    const card = element.children[target] as HTMLElement | undefined;
    if (card && first) element.scrollTo({ left: card.offsetLeft - first.offsetLeft, behavior: "smooth" });
  }, []);

  const moving = !still && !paused && !resting && count > 1;
  useEffect(() => {
    if (!moving) return;
    const timer = setInterval(() => {
      if (!document.hidden) go(1);
    }, CAROUSEL_MS);
    return () => clearInterval(timer);
  }, [moving, go]);

  return (
    <section className="section" aria-labelledby={id}>
      <div className="section-head">
        <h2 id={id}>{title}</h2>
        <div className="end">
          {!still && (
            <IconButton
              label={paused ? "Let the row move on" : "Pause the moving row"}
              className="shelf-pause"
              onClick={() => setPaused(!paused)}
            >
              {paused ? <Play className="icon" /> : <Pause className="icon" />}
            </IconButton>
          )}
          <IconButton label="Previous" outlined onClick={() => go(-1)}>
            <ChevronLeft className="icon" />
          </IconButton>
          <IconButton label="Next" outlined onClick={() => go(1)}>
            <ChevronRight className="icon" />
          </IconButton>
        </div>
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: pointing at the row or tabbing into it lets it rest. */}
      <div
        className="shelf"
        ref={row}
        onScroll={(event) => setCurrent(Math.round(progressOf(event.currentTarget) * (count - 1)))}
        onPointerEnter={() => setResting(true)}
        onPointerLeave={() => setResting(false)}
        onFocus={() => setResting(true)}
        onBlur={() => setResting(false)}
      >
        {children}
      </div>
      <div className="ticks" aria-hidden="true">
        {Array.from({ length: count }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a tick is its place.
          <i key={index} className={index === current ? "on" : undefined} />
        ))}
      </div>
    </section>
  );
}
