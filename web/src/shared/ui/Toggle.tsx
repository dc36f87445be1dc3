import { Check } from "lucide-react";
import type { ReactNode } from "react";

interface ToggleProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  children: ReactNode;
  disabled?: boolean;
  /** For when the visible words are not enough. */
  label?: string;
}

/** On or off, at once. */
export function Switch({ checked, onChange, children, disabled, label }: ToggleProps) {
  return (
    <button
      type="button"
      role="switch"
      className="switch"
      aria-checked={checked}
      aria-label={label}
      disabled={disabled}
      onClick={() => onChange(!checked)}
    >
      <i />
      {children}
    </button>
  );
}

/** A choice that counts when the form is sent. */
export function Checkbox({ checked, onChange, children, disabled, label }: ToggleProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: the drawn box needs a button; the role says what it is.
    <button
      type="button"
      role="checkbox"
      className="check"
      aria-checked={checked}
      aria-label={label}
      disabled={disabled}
      onClick={() => onChange(!checked)}
      onKeyDown={(event) => {
        if (event.key !== "Enter") return;
        // As a checkbox of the browser does: the space bar ticks it, Enter sends the form.
        event.preventDefault();
        event.currentTarget.form?.requestSubmit();
      }}
    >
      <i>{checked && <Check className="icon" />}</i>
      {children}
    </button>
  );
}
