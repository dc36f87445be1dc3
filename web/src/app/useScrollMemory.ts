import { useEffect, useLayoutEffect, useRef } from "react";
import { useLocation, useNavigationType } from "@/shared/router";
import { tabKept } from "@/shared/storage";

const STORED = "scroll";

function stored(): Record<string, number> {
  try {
    return JSON.parse(tabKept.getItem(STORED) ?? "{}") as Record<string, number>;
  } catch {
    return {};
  }
}

/**
 * A new page begins at its top, and one that is come back to where it was left. Changes of the address on the same
 * page, as a chosen tab or filter, move nothing.
 */
export function useScrollMemory(): void {
  const { pathname, hash, key } = useLocation();
  const type = useNavigationType();
  // Every page that is loaded, not navigated to, has the same key: by it one would open where another was left.
  const place = key === "default" ? pathname : key;
  const left = useRef<Record<string, number> | null>(null);
  left.current ??= stored();
  const before = useRef<string | null>(null);

  useEffect(() => {
    history.scrollRestoration = "manual";
    const leave = () => tabKept.setItem(STORED, JSON.stringify(left.current));
    globalThis.addEventListener("pagehide", leave);
    return () => globalThis.removeEventListener("pagehide", leave);
  }, []);

  // With the new page, before what it brings about: its way to the top is not where the page before was left.
  useLayoutEffect(() => {
    const moved = () => {
      if (left.current) left.current[place] = globalThis.scrollY;
    };
    globalThis.addEventListener("scroll", moved, { passive: true });
    return () => globalThis.removeEventListener("scroll", moved);
  }, [place]);

  useLayoutEffect(() => {
    const same = before.current === pathname;
    before.current = pathname;
    const target = hash ? document.getElementById(decodeURIComponent(hash.slice(1))) : null;
    const known = type === "POP" ? left.current?.[place] : undefined;
    if (known !== undefined) globalThis.scrollTo(0, known);
    else if (target) target.scrollIntoView();
    else if (!same) globalThis.scrollTo(0, 0);
  }, [pathname, hash, place, type]);
}
