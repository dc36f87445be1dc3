import { type ComponentType, useEffect, useRef, useState } from "react";
import { useToasts } from "../toast";

/** The messages' own code comes after the page's. */
const loadToaster = () => import("./Toaster");

/** Most messages answer a press. */
const PRESSES = ["pointerdown", "keydown"] as const;

/** Where toasts appear: top right, over everything, read out as they come. */
export function ToastHost() {
  const count = useToasts((state) => state.toasts.length);
  const [wanted, setWanted] = useState(false);
  const [Toaster, setToaster] = useState<ComponentType | null>(null);
  const host = useRef<HTMLDivElement>(null);

  // A live region must be there before what it announces, so it comes with the first press on the page.
  useEffect(() => {
    if (wanted) return;
    const over = new AbortController();
    for (const press of PRESSES)
      globalThis.addEventListener(press, () => setWanted(true), { capture: true, signal: over.signal });
    return () => over.abort();
  }, [wanted]);
  if (count > 0 && !wanted) setWanted(true);

  // Without an answer the page stands as it is, and the next message is another try.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each message until it has come.
  useEffect(() => {
    if (!wanted || Toaster) return;
    let here = true;
    loadToaster().then(
      (module) => here && setToaster(() => module.default),
      () => undefined,
    );
    return () => {
      here = false;
    };
  }, [wanted, Toaster, count]);

  // In the browser's top layer, so that a toast is not under an open dialog; shown anew only over a dialog, to come
  // out on top of it.
  useEffect(() => {
    const element = host.current;
    if (!element?.showPopover) return;
    const open = element.matches(":popover-open");
    if (open && !(count > 0 && document.querySelector("dialog[open]"))) return;
    if (open) element.hidePopover();
    element.showPopover();
  }, [count]);

  return (
    <div ref={host} className="toasts" popover="manual">
      {Toaster && <Toaster />}
    </div>
  );
}
