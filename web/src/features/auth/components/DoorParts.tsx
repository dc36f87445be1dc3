import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";

export function DoorHead({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <div>
      <h1>{title}</h1>
      {children && <p className="text-2 door-lead">{children}</p>}
    </div>
  );
}

/** What is wrong with the form as a whole. */
export function FormError({ children }: { children: string | null | undefined }) {
  return (
    <div aria-live="assertive">
      {children && (
        <p className="error" role="alert">
          <TriangleAlert className="icon s" />
          {children}
        </p>
      )}
    </div>
  );
}

/** The line at the foot of the page: the way to the other door. */
export function DoorFoot({ children }: { children: ReactNode }) {
  return <p className="door-foot text-2">{children}</p>;
}
