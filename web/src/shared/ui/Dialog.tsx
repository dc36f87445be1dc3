import { X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { useVeil } from "../hooks/useVeil";
import { useMessages } from "../i18n";
import { IconButton } from "./Button";

interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  /** Keeps the title for assistive technology only. */
  hideTitle?: boolean;
  /** The curtain along the top: only for an entrance, as the age question is. */
  pelmet?: boolean;
  /** A cross in the corner. Leave out where a decision is asked for. */
  closable?: boolean;
  className?: string;
  children: ReactNode;
}

/** What has the focus, then what stands around it and can take it, should it be gone when the dialog closes. */
function heirs(element: Element | null): HTMLElement[] {
  if (!(element instanceof HTMLElement)) return [];
  const around = heirs(element.parentElement?.closest("[tabindex]") ?? null);
  return [element, ...around];
}

/**
 * A modal. The browser's own `<dialog>`: it traps focus, makes the page behind inert, closes on Escape and gives
 * focus back, and unlike most libraries injects no styles, which the content security policy would refuse.
 */
export function Dialog({
  open,
  onClose,
  title,
  hideTitle,
  pelmet,
  closable,
  className,
  children,
}: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const t = useMessages("ui");
  const titleId = useId();
  const veil = useVeil(onClose);

  useEffect(() => {
    const dialog = ref.current;
    if (!open || !dialog) return;
    const before = heirs(document.activeElement);
    if (!dialog.open) dialog.showModal();
    // The browser begins at the first button, which is Close; a form begins at its field.
    dialog.querySelector<HTMLElement>("[data-focus]")?.focus();
    document.documentElement.classList.add("has-dialog");
    return () => {
      if (dialog.open) dialog.close();
      if (!document.querySelector("dialog[open]")) document.documentElement.classList.remove("has-dialog");
      before.find((element) => element.isConnected)?.focus({ preventScroll: true });
    };
  }, [open]);

  if (!open) return null;
  return (
    <dialog
      ref={ref}
      className="dialog"
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      {...veil}
    >
      <div className={["modal", pelmet && "pelmet", className].filter(Boolean).join(" ")}>
        <div className={hideTitle ? "sr" : "modal-head"}>
          <h2 id={titleId}>{title}</h2>
          {closable && !hideTitle && (
            <IconButton label={t("close")} onClick={onClose}>
              <X className="icon" />
            </IconButton>
          )}
        </div>
        {children}
      </div>
    </dialog>
  );
}
