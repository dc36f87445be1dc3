import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { useMessages } from "../i18n";
import { Button } from "./Button";

interface EmptyProps {
  title: string;
  children?: ReactNode;
  /** One thing to do next. */
  action?: ReactNode;
  /** It is all there is on the page: its title is the page's. */
  page?: boolean;
}

/** A lit spot with nobody in it. */
export function Spot() {
  return (
    <svg className="spot" viewBox="0 0 120 96" aria-hidden="true">
      <path d="M52 10h16l30 72H22z" fill="var(--lamp)" opacity=".16" />
      <ellipse cx="60" cy="82" rx="38" ry="10" fill="var(--lamp)" opacity=".5" />
      <ellipse cx="60" cy="82" rx="38" ry="10" fill="none" stroke="var(--lamp-edge)" strokeWidth="1.5" />
      <rect x="51" y="4" width="18" height="9" rx="2" fill="var(--text)" />
    </svg>
  );
}

/** Where nothing is, why, and what to do about it. */
export function Empty({ title, children, action, page }: EmptyProps) {
  const Heading = page ? "h1" : "h2";
  return (
    <div className="empty">
      <Spot />
      <Heading className="empty-title">{title}</Heading>
      {children && <p className="text-2">{children}</p>}
      {action}
    </div>
  );
}

interface FailureProps {
  /** What did not work, in the words of the specification where it has them. */
  message: string;
  onRetry?: () => void;
  /** It is all there is on the page: its title is the page's. */
  page?: boolean;
}

/** Something could not be loaded, and what to do about it. */
export function Failure({ message, onRetry, page }: FailureProps) {
  const t = useMessages("ui");
  const Heading = page ? "h1" : "h2";
  return (
    <div className="empty" role="alert">
      <TriangleAlert className="icon l rouge-ink" />
      <Heading className="empty-title">{message}</Heading>
      {onRetry && (
        <Button look="line" onClick={onRetry}>
          {t("tryAgain")}
        </Button>
      )}
    </div>
  );
}
