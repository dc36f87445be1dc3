import { useEffect, useRef } from "react";
import { useLocation } from "@/shared/router";

/** What the server says in the head of the page that it was asked for, to crawlers and to whoever shares it. */
const OF_ONE_PAGE = [
  "link[rel=canonical]",
  "meta[property^='og:']",
  "meta[name^='twitter:']",
  "meta[name=description]",
  "meta[name=robots]",
  "script[type='application/ld+json']",
].join();

/** Takes that away with the page it is about: a phone would share the first page's address from every other. */
export function useFirstHead(): void {
  const { pathname } = useLocation();
  const first = useRef(pathname);
  useEffect(() => {
    if (pathname === first.current) return;
    for (const tag of document.head.querySelectorAll(OF_ONE_PAGE)) tag.remove();
  }, [pathname]);
}
