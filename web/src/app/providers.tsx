import { QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { queryClient } from "@/shared/api/query";
import { PERSISTENCE_TIMEOUT_MS } from "@/shared/limits";
import { useRoot } from "@/shared/store";

/** True once stored state is back, or once waiting for it has taken too long. */
function useRestored(): boolean {
  const [restored, setRestored] = useState(() => useRoot.persist.hasHydrated());
  useEffect(() => {
    if (restored) return;
    const done = () => setRestored(true);
    const timer = setTimeout(done, PERSISTENCE_TIMEOUT_MS);
    const stop = useRoot.persist.onFinishHydration(done);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [restored]);
  return restored;
}

export function Providers({ children }: { children: ReactNode }) {
  const restored = useRestored();
  if (!restored) return null;
  return <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>;
}
