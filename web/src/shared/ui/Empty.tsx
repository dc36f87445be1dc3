import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "./Button";

interface EmptyProps {
  title: string;
  children?: ReactNode;
  /** One thing to do next. */
  action?: ReactNode;
}

/** A lit spot with nobody in it. */
export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div className="empty">
      <svg className="spot" viewBox="0 0 120 96" aria-hidden="true">
        <path d="M52 10h16l30 72H22z" fill="var(--lamp)" opacity=".16" />
        <ellipse cx="60" cy="82" rx="38" ry="10" fill="var(--lamp)" opacity=".5" />
        <ellipse cx="60" cy="82" rx="38" ry="10" fill="none" stroke="var(--lamp-edge)" strokeWidth="1.5" />
        <rect x="51" y="4" width="18" height="9" rx="2" fill="var(--text)" />
      </svg>
      <h2 className="empty-title">{title}</h2>
      {children && <p className="text-2">{children}</p>}
      {action}
    </div>
  );
}

interface FailureProps {
  /** What did not work, in the words of the specification where it has them. */
  message: string;
  onRetry?: () => void;
}

/** Something could not be loaded, and what to do about it. */
export function Failure({ message, onRetry }: FailureProps) {
  return (
    <div className="empty" role="alert">
      <TriangleAlert className="icon l rouge-ink" />
      <h2 className="empty-title">{message}</h2>
      {onRetry && (
        <Button look="line" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}
