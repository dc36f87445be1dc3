import { useState } from "react";
import { messageOf } from "@/shared/api/errors";

/** Something that may be tried again: whether it is under way, and what the last try failed with. */
export function useAttempt() {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  /** `failed` is said where the work failed without a word. */
  const attempt = async (work: () => Promise<unknown>, failed: string) => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (why) {
      setError(messageOf(why, failed));
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, setError, attempt };
}
