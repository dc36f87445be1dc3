import { CircleCheck, Info, TriangleAlert, X } from "lucide-react";
import { type FocusEvent, useEffect, useRef } from "react";
import {
  type CloseButtonProps,
  ToastContainer,
  type ToastTransitionProps,
  toast as toastify,
} from "react-toastify/unstyled";
import { useMessages } from "../i18n";
import { TOAST_MS } from "../limits";
import { type ToastEntry, useToasts } from "../toast";
import { IconButton } from "./Button";

const TYPES = { good: "success", bad: "error", note: "info" } as const;
const ICONS = { good: CircleCheck, bad: TriangleAlert, note: Info } as const;
/** A swipe over this share of its width lets a draggable toast go, per cent. */
const SWIPE_PERCENT = 30;

/** Toasts rise by their own style and leave at once. */
function Rise({ children, isIn, done, playToast }: ToastTransitionProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: its clock starts once, when it has come.
  useEffect(() => playToast(), []);
  useEffect(() => {
    if (!isIn) done();
  }, [isIn, done]);
  return children;
}

function CloseButton({ closeToast }: CloseButtonProps) {
  const t = useMessages("ui");
  return (
    <IconButton label={t("close")} onClick={() => closeToast(true)}>
      <X className="icon s" />
    </IconButton>
  );
}

function Line({ entry }: { entry: ToastEntry }) {
  const dismiss = useToasts((state) => state.dismiss);
  const Icon = ICONS[entry.kind];
  return (
    <>
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
    </>
  );
}

function show(entry: ToastEntry, dismiss: (id: number) => void) {
  toastify(() => <Line entry={entry} />, {
    toastId: entry.id,
    type: TYPES[entry.kind],
    role: entry.kind === "bad" ? "alert" : "status",
    className: ["toast", entry.kind, entry.draggable && "swipes"].filter(Boolean).join(" "),
    autoClose: entry.lifeMs,
    draggable: entry.draggable,
    onClose: () => dismiss(entry.id),
  });
}

/** Shows what the queue holds, and tells it what has closed. */
function useQueueShown() {
  const toasts = useToasts((state) => state.toasts);
  const dismiss = useToasts((state) => state.dismiss);
  const shown = useRef(new Set<number>());
  // What a container showed goes with it: the next one begins anew.
  useEffect(() => {
    const known = shown.current;
    return () => known.clear();
  }, []);
  useEffect(() => {
    const wanted = new Set(toasts.map((entry) => entry.id));
    for (const id of shown.current) {
      if (wanted.has(id)) continue;
      shown.current.delete(id);
      toastify.dismiss(id);
    }
    for (const entry of toasts) {
      if (shown.current.has(entry.id)) continue;
      shown.current.add(entry.id);
      show(entry, dismiss);
    }
  }, [toasts, dismiss]);
}

/** react-toastify, dressed in our own style sheet: its own would be injected, which the content security policy refuses. */
export default function Toaster() {
  const t = useMessages("ui");
  useQueueShown();
  // Whoever has come to a toast by keyboard has the time that pointing at it gives.
  const leave = (event: FocusEvent) => {
    if (!event.currentTarget.contains(event.relatedTarget)) toastify.play();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: focus inside only holds the toasts back.
    <div onFocus={() => toastify.pause()} onBlur={leave}>
      <ToastContainer
        aria-label={t("toasts")}
        position="top-right"
        theme="dark"
        autoClose={TOAST_MS}
        draggable={false}
        draggablePercent={SWIPE_PERCENT}
        icon={false}
        closeButton={CloseButton}
        progressClassName="toast-life"
        pauseOnFocusLoss={false}
        transition={Rise}
      />
    </div>
  );
}
