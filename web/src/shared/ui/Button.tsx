import type { ComponentProps, MouseEvent, ReactNode } from "react";
import { Link, type LinkProps } from "../router";

/** `lit` once per view; `line` for everything else; `plum` only for Create; `rouge` only inside a confirmation. */
export type ButtonLook = "lit" | "line" | "quiet" | "plum" | "rouge";

export interface ButtonStyle {
  look?: ButtonLook;
  size?: "small" | "big";
  wide?: boolean;
}

export function buttonClass({ look = "line", size, wide }: ButtonStyle, extra = ""): string {
  return ["btn", look, size, wide && "wide", extra].filter(Boolean).join(" ");
}

type ButtonProps = ButtonStyle &
  ComponentProps<"button"> & {
    /** Something is under way: the button keeps the focus, cannot be pressed again, and says so to assistive technology. */
    busy?: boolean;
  };

/** A press while something is under way does nothing, nor does Enter in a field of its form. */
const rest = (event: MouseEvent) => event.preventDefault();

export function Button({ look, size, wide, busy, className, children, onClick, ...props }: ButtonProps) {
  return (
    <button
      type="button"
      {...props}
      className={buttonClass({ look, size, wide }, className)}
      // Disabled, it would lose the focus, and a dialog that opens then would have nobody to give it back to.
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? rest : onClick}
    >
      {children}
    </button>
  );
}

/** A link that looks like a button. */
export function ButtonLink({ look, size, wide, className, ...rest }: ButtonStyle & LinkProps) {
  return <Link {...rest} className={buttonClass({ look, size, wide }, className)} />;
}

type IconButtonProps = Omit<ComponentProps<"button">, "children"> & {
  /** What it does, for those who do not see the icon. */
  label: string;
  children: ReactNode;
  outlined?: boolean;
  small?: boolean;
};

export function IconButton({ label, outlined, small, className, children, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-label={label}
      title={label}
      className={["icon-btn", outlined && "line", small && "small", className].filter(Boolean).join(" ")}
    >
      {children}
    </button>
  );
}
