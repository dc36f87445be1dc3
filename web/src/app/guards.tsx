import { type ComponentType, type ReactNode, useEffect, useRef } from "react";
import { hasLiveToken } from "@/shared/api/token";
import { messages } from "@/shared/i18n";
import { leaving } from "@/shared/leaving";
import { needsLogin, paths } from "@/shared/paths";
import { Navigate, useLocation } from "@/shared/router";
import { forgetSession } from "@/shared/session";
import { useLoggedIn, useUser } from "@/shared/store";
import { toast } from "@/shared/toast";
import { NotFound } from "./NotFound";

/** Sends a reader without a good token to `/login`, the place they wanted kept. */
export function LoginGuard({ children }: { children: ReactNode }) {
  const { pathname, search } = useLocation();
  const loggedIn = useLoggedIn();
  const allowed = !needsLogin(pathname) || (loggedIn && hasLiveToken());
  const said = useRef(false);

  useEffect(() => {
    if (allowed) said.current = false;
    if (allowed || said.current || leaving.now) return;
    said.current = true;
    toast.error(messages("frame")("loginAgain"));
    if (loggedIn) forgetSession();
  }, [allowed, loggedIn]);

  // The door is where a sign-out ends.
  useEffect(() => {
    if (pathname === paths.login) leaving.now = false;
  }, [pathname]);

  if (allowed) return children;
  return (
    <Navigate to={paths.login} replace state={leaving.now ? null : { redirectPath: pathname + search }} />
  );
}

/** A page for those who have a role. Only a courtesy to everyone else: the server decides what they may read. */
export function forRole(role: string, Page: ComponentType): ComponentType {
  return function ForRole() {
    const user = useUser();
    return user?.roles?.includes(role) ? <Page /> : <NotFound />;
  };
}
