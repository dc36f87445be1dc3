import { CircleCheck, Info, TriangleAlert, X } from "lucide-react";
import { type PointerEvent, useEffect, useRef, useState } from "react";
import { type ToastEntry, useToasts } from "../toast";
import { IconButton } from "./Button";

/** A swipe of this many pixels lets a draggable toast go. */
const SWIPE_PX = 90;
const ICONS = { good: CircleCheck, bad: TriangleAlert, note: Info } as const;

function Toast({ entry }: { entry: ToastEntry }) {
  const dismiss = useToasts((state) => state.dismiss);
  const [held, setHeld] = useState(false);
  const [shift, setShift] = useState(0);
  const left = useRef(entry.lifeMs);
  const from = useRef<number | null>(null);
  const Icon = ICONS[entry.kind];

  useEffect(() => {
    if (held) return;
    const started = performance.now();
    const timer = setTimeout(() => dismiss(entry.id), left.current);
    return () => {
      clearTimeout(timer);
      left.current -= performance.now() - started;
    };
  }, [held, entry.id, dismiss]);

  const drag = entry.draggable
    ? {
        onPointerDown: (event: PointerEvent<HTMLDivElement>) => {
          if ((event.target as Element).closest("button")) return;
          from.current = event.clientX;
          event.currentTarget.setPointerCapture(event.pointerId);
        },
        onPointerMove: (event: PointerEvent) => {
          if (from.current !== null) setShift(event.clientX - from.current);
        },
        onPointerUp: () => {
          if (Math.abs(shift) > SWIPE_PX) dismiss(entry.id);
          from.current = null;
          setShift(0);
        },
      }
    : {};

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pointing only holds it back; swiping is beside the Close button.
    <div
      className={["toast", entry.kind, held && "held", entry.draggable && "swipes"].filter(Boolean).join(" ")}
      role={entry.kind === "bad" ? "alert" : "status"}
      style={{ translate: shift ? `${shift}px` : undefined }}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      {...drag}
    >
      <Icon className="icon" />
      <span>{entry.text}</span>
      {entry.action && (
        <button
          type="button"
          className="toast-action"
          onClick={() => {
            dismiss(entry.id);
            entry.action?.run();
          }}
        >
          {entry.action.label}
        </button>
      )}
      <IconButton label="Close" onClick={() => dismiss(entry.id)}>
        <X className="icon s" />
      </IconButton>
      <span className="toast-life" style={{ animationDuration: `${entry.lifeMs}ms` }} />
    </div>
  );
}

/** Where toasts appear: top right, over everything, read out as they come. */
export function ToastHost() {
  const toasts = useToasts((state) => state.toasts);
  const host = useRef<HTMLElement>(null);
  const count = toasts.length;

  // In the browser's top layer, so that a toast is not under an open dialog. It stays open while empty: a live
  // region must be there before what it announces. Only over a dialog is it shown anew, to come out on top.
  useEffect(() => {
    const element = host.current;
    if (!element?.showPopover) return;
    const open = element.matches(":popover-open");
    if (open && !(count > 0 && document.querySelector("dialog[open]"))) return;
    if (open) element.hidePopover();
    element.showPopover();
  }, [count]);

  return (
    <section ref={host} className="toasts" popover="manual" aria-label="Messages" aria-live="polite">
      {toasts.map((entry) => (
        <Toast key={entry.id} entry={entry} />
      ))}
    </section>
  );
}
