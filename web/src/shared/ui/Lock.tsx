import { KeyRound } from "lucide-react";
import type { ReactNode } from "react";
import { useMessages } from "../i18n";
import { useLocation } from "../router";
import { ButtonLink } from "./Button";

interface LockProps {
  title?: string;
  children: ReactNode;
  /** Buttons; Login and Sign Up when left out. */
  actions?: ReactNode;
}

/** The panel over something blurred: why it is closed and which key opens it. */
export function Lock({ title, children, actions }: LockProps) {
  const t = useMessages("ui");
  const frame = useMessages("frame");
  const { pathname, search } = useLocation();
  const back = { redirectPath: pathname + search };
  return (
    <div className="lock">
      <span className="key-ring">
        <KeyRound className="icon" />
      </span>
      <h2>{title ?? t("unlock")}</h2>
      <p className="text-2">{children}</p>
      <div className="row">
        {actions ?? (
          <>
            <ButtonLink look="lit" to="/login" state={back}>
              {frame("login")}
            </ButtonLink>
            <ButtonLink look="line" to="/signup" state={back}>
              {frame("signUp")}
            </ButtonLink>
          </>
        )}
      </div>
    </div>
  );
}

interface LockedProps {
  /** What can be seen but not read or used. */
  behind: ReactNode;
  /** The panel: a `Lock`. */
  children: ReactNode;
}

/** Blurs what is behind, takes it away from keyboard and screen readers, and puts a panel over it. */
export function Locked({ behind, children }: LockedProps) {
  return (
    <div className="locked">
      <div className="behind" inert aria-hidden="true">
        {behind}
      </div>
      {children}
    </div>
  );
}
