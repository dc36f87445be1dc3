import useEmblaCarousel from "embla-carousel-react";
import { type RefObject, useEffect } from "react";

/** What a row of cards can be asked to do once it is a carousel. */
export interface Carousel {
  go: (step: 1 | -1) => void;
}

interface ShelfMotionProps {
  viewport: RefObject<HTMLElement | null>;
  /** Moves are jumps: the reader asked for less motion. */
  still: boolean;
  /** Called with null when the row is a plain list again. */
  onReady: (carousel: Carousel | null) => void;
  /** The card that now stands at the left edge. */
  onSelect: (index: number) => void;
}

/** Cards stand in from the edge by the padding of their row, wherever the row has been moved to. */
function gutterOf(viewport: HTMLElement | null): number {
  const row = viewport?.firstElementChild;
  return row ? Number.parseFloat(getComputedStyle(row).paddingLeft) || 0 : 0;
}

/** Embla takes a row over: it goes round, and follows fingers and the focus. Shows nothing of its own. */
export default function ShelfMotion({ viewport, still, onReady, onSelect }: ShelfMotionProps) {
  const [attach, embla] = useEmblaCarousel({ loop: true, align: () => gutterOf(viewport.current) });

  useEffect(() => attach(viewport.current), [attach, viewport]);

  useEffect(() => {
    if (!embla) return;
    const tell = () => onSelect(embla.selectedScrollSnap());
    embla.on("select", tell).on("reInit", tell);
    onReady({ go: (step) => (step > 0 ? embla.scrollNext(still) : embla.scrollPrev(still)) });
    return () => {
      embla.off("select", tell).off("reInit", tell);
      onReady(null);
    };
  }, [embla, still, onReady, onSelect]);

  return null;
}
