// With the frame, which stands before the page and its styles have come.
import "@/features/auth/door.css";
import { lazy, type ReactNode, useEffect } from "react";
import { brand } from "@/brand";
import { messagesArrived, useMessages, useSpoken } from "@/shared/i18n";
import { useInstall } from "@/shared/install";
import { paths } from "@/shared/paths";
import { firstMatch, Link, useLocation } from "@/shared/router";
import { Logo } from "@/shared/ui";
import { Optional } from "@/shared/ui/Optional";
import { useLoadingPages } from "../pages";
import { routes } from "../routes";
import { BottomBar } from "./BottomBar";
import { Footer } from "./Footer";
import { Header } from "./Header";
import { LanguageChoice } from "./LanguageChoice";
import { PromoStrip } from "./PromoStrip";
import { SideNav } from "./SideNav";

const InstallDialog = lazy(() =>
  import("./InstallDialog").then(({ InstallDialog }) =>
    messagesArrived().then(() => ({ default: InstallDialog })),
  ),
);

/** A thin light along the top while the next page's code is on its way. */
function Progress() {
  const t = useMessages("frame");
  const busy = useLoadingPages((count) => count > 0);
  return busy ? <div className="progress" role="progressbar" aria-label={t("loadingPage")} /> : null;
}

/** After a change of page, the keyboard and the screen reader begin at its content. */
function useFocusOnChange() {
  const { pathname, key } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each new page, not for the values themselves.
  useEffect(() => {
    // The first page keeps the browser's own start.
    if (key === "default") return;
    const main = document.getElementById("main");
    if (main && !main.contains(document.activeElement)) main.focus({ preventScroll: true });
  }, [pathname]);
}

/** The language of a page that speaks another than the frame around it: a voice that reads it out has to know. */
function usePageLanguage(): string | undefined {
  const language = useSpoken((state) => state.language);
  const route = firstMatch(routes, useLocation().pathname);
  return language !== "en" && route && !route.translated ? "en" : undefined;
}

interface FrameProps {
  /** The page. */
  children: ReactNode;
}

/** Banner, header, navigation and footer around a page. */
export function HouseFrame({ children }: FrameProps) {
  const installing = useInstall((state) => state.open);
  const hideInstall = useInstall((state) => state.hide);
  const language = usePageLanguage();
  useFocusOnChange();
  return (
    <div className="house">
      <Progress />
      <PromoStrip />
      <Header />
      <div className="frame">
        <SideNav />
        <div>
          <main className="main" id="main" tabIndex={-1} lang={language}>
            {children}
          </main>
          <Footer />
        </div>
      </div>
      <BottomBar />
      {installing && (
        <Optional onLost={hideInstall}>
          <InstallDialog />
        </Optional>
      )}
    </div>
  );
}

/** Sign-up, login and their like: a form beside the stage. */
export function DoorFrame({ children }: FrameProps) {
  const t = useMessages("frame");
  useFocusOnChange();
  return (
    <>
      <Progress />
      <div className="door">
        <div className="door-form">
          <header>
            <Link className="logo logo-foot" to={paths.home} aria-label={t("logo", { brand: brand.name })}>
              <Logo />
            </Link>
            <LanguageChoice />
          </header>
          <main className="door-in" id="main" tabIndex={-1}>
            {children}
          </main>
        </div>
        <div className="door-art" aria-hidden="true">
          <div className="b" />
          <div className="c" />
          <div className="w" />
          <div className="w" />
          <div className="p" />
        </div>
      </div>
    </>
  );
}

/** The chat fills the window and brings its own walls. */
export function TalkFrame({ children }: FrameProps) {
  useFocusOnChange();
  return (
    <>
      <Progress />
      {children}
    </>
  );
}
