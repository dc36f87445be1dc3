import { Check } from "lucide-react";
import type { ReactNode } from "react";

interface ChipProps {
  pressed: boolean;
  onChange: (pressed: boolean) => void;
  disabled?: boolean;
  children: ReactNode;
}

/** A filter that is on or off: outline, wash and a check, never colour alone. */
export function Chip({ pressed, onChange, disabled, children }: ChipProps) {
  return (
    <button
      type="button"
      className="chip"
      aria-pressed={pressed}
      disabled={disabled}
      onClick={() => onChange(!pressed)}
    >
      {pressed && <Check className="icon s" />}
      {children}
    </button>
  );
}
