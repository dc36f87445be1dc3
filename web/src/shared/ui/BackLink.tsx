import { ArrowLeft } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "../router";

interface BackLinkProps {
  to: string;
  /** The name of the page it leads to. */
  children: ReactNode;
}

/** Above a title: up to the page that this one belongs to. */
export function BackLink({ to, children }: BackLinkProps) {
  return (
    <Link className="back" to={to}>
      <ArrowLeft className="icon s" />
      {children}
    </Link>
  );
}
