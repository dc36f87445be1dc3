import type { QueryKey } from "@tanstack/react-query";
import { lazy, type ReactNode, useEffect } from "react";
import { onUnauthorized } from "@/shared/api/client";
import { queryClient } from "@/shared/api/query";
import { hasLiveToken, readToken, TOKEN_KEY } from "@/shared/api/token";
import { onHint, RECONNECTED } from "@/shared/hints";
import { HOME_TITLE } from "@/shared/hooks/useTitle";
import { messages, messagesArrived, useMessages } from "@/shared/i18n";
import { leaving } from "@/shared/leaving";
import { useAgeQuestion } from "@/shared/nsfw";
import { isHome, paths } from "@/shared/paths";
import { useLocation, useNavigate } from "@/shared/router";
import { forgetKeptChats, forgetSession, refreshProfile, renewIfOld } from "@/shared/session";
import { useLoggedIn, useRoot } from "@/shared/store";
import { toast } from "@/shared/toast";
import { ToastHost } from "@/shared/ui";
import { Optional } from "@/shared/ui/Optional";
import { ReportHost } from "@/shared/ui/ReportHost";
import { LoginGuard } from "./guards";
import { useFirstHead } from "./useFirstHead";
import { useScrollMemory } from "./useScrollMemory";

const AgeDialog = lazy(() =>
  import("@/shared/ui/AgeDialog").then(({ AgeDialog }) =>
    messagesArrived().then(() => ({ default: AgeDialog })),
  ),
);

/** Looks at the stored session once on load: a dead token is dropped, a live one fetches the profile. */
function useSessionOnLoad() {
  useEffect(() => {
    if (!useRoot.getState().loggedIn) {
      // An answer that came while somebody went may have been kept after all.
      void forgetKeptChats();
      return;
    }
    if (!hasLiveToken()) {
      forgetSession();
      return;
    }
    // A failure here changes nothing for the reader: the stored profile stays, and a 401 is answered elsewhere.
    refreshProfile().catch((error: unknown) => console.warn("profile not refreshed", error));
    void renewIfOld();
  }, []);
}

/** A 401 to a call that carried our token means the session is over. */
function useEndOnUnauthorized() {
  const navigate = useNavigate();
  useEffect(
    () =>
      onUnauthorized((sentToken) => {
        if (leaving.now || readToken() !== sentToken) return;
        const { pathname, search } = globalThis.location;
        forgetSession();
        toast.error(messages("frame")("loginAgain"));
        void navigate(paths.login, { state: { redirectPath: pathname + search } });
      }),
    [navigate],
  );
}

/** Another tab logged in or out: this one follows. */
function useOtherTabs() {
  useEffect(() => {
    const changed = async (event: StorageEvent) => {
      if (event.key !== "root" && event.key !== TOKEN_KEY) return;
      const before = useRoot.getState();
      await useRoot.persist.rehydrate();
      const after = useRoot.getState();
      if (before.userData?._id !== after.userData?._id || before.nsfw !== after.nsfw)
        await queryClient.resetQueries();
    };
    globalThis.addEventListener("storage", changed);
    return () => globalThis.removeEventListener("storage", changed);
  }, []);
}

/** Reads again what a hint tells of. A first fetch that is under way may have read the old, and would hold it for new. */
async function readAgain(queryKey: QueryKey): Promise<void> {
  await queryClient.cancelQueries({ queryKey });
  await queryClient.invalidateQueries({ queryKey });
}

function useHintStream() {
  const loggedIn = useLoggedIn();
  useEffect(() => {
    if (!loggedIn || !hasLiveToken()) return;
    const stop = new AbortController();
    void import("@/shared/hintStream").then(({ listenForHints }) => listenForHints(stop.signal));
    const forget = onHint((hint) => {
      if (hint === RECONNECTED) void queryClient.invalidateQueries();
      else if (hint.type.startsWith("entitlement.")) refreshProfile().catch(() => undefined);
      else if (hint.type.startsWith("character.")) {
        void readAgain(["character", hint.id]);
        void readAgain(["characters"]);
      } else if (hint.type.startsWith("chat.")) void readAgain(["chats"]);
    });
    return () => {
      stop.abort();
      forget();
    };
  }, [loggedIn]);
}

function useHomeTitle() {
  const { pathname } = useLocation();
  useEffect(() => {
    if (isHome(pathname)) document.title = HOME_TITLE;
  }, [pathname]);
}

/** What every page stands in: session, guards, dialogs and messages that belong to no page. */
export function Root({ children }: { children: ReactNode }) {
  const asking = useAgeQuestion((state) => state.asking);
  const dontAsk = useAgeQuestion((state) => state.close);
  const t = useMessages("frame");
  useSessionOnLoad();
  useEndOnUnauthorized();
  useOtherTabs();
  useHintStream();
  useHomeTitle();
  useScrollMemory();
  useFirstHead();
  return (
    <>
      <a className="skip" href="#main">
        {t("skip")}
      </a>
      <LoginGuard>{children}</LoginGuard>
      {asking && (
        <Optional onLost={dontAsk}>
          <AgeDialog />
        </Optional>
      )}
      <ReportHost />
      <ToastHost />
    </>
  );
}

/** Before the first page's code has come. */
export function PageSkeleton() {
  const t = useMessages("frame");
  return <div className="page-wait" role="status" aria-label={t("loading")} />;
}
