import { useEffect, useState } from "react";

/** Whether something is under way that may lead to another site. Who comes back from there by Back can begin anew. */
export function useBusy() {
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    // Browsers keep the page as it was when it was left.
    const back = (event: PageTransitionEvent) => {
      if (event.persisted) setBusy(false);
    };
    globalThis.addEventListener("pageshow", back);
    return () => globalThis.removeEventListener("pageshow", back);
  }, []);
  return [busy, setBusy] as const;
}
