import { ArrowUp } from "lucide-react";
import { useEffect, useRef } from "react";
import { Button } from "@/shared/ui";
import { useMessages } from "../i18n";
import type { EarlierState } from "../useEarlier";

interface EarlierProps extends EarlierState {
  /** Where the keyboard goes once there is nothing more to ask for. */
  onLast: () => void;
  /** More came because the reader asked. */
  onCame: () => void;
}

/**
 * The way to what was said before the first message. It lies over the talk, so that nothing moves when it goes; it is
 * seen where the reader waits for it, where it failed, and by the keyboard.
 */
export function Earlier({ phase, atStart, fetchMore, onLast, onCame }: EarlierProps) {
  const t = useMessages("talk");
  const focused = useRef(false);
  const gone = fetchMore === null;
  useEffect(() => {
    if (!gone || !focused.current) return;
    focused.current = false;
    onLast();
  }, [gone, onLast]);
  return (
    <>
      <p className="sr" role="status">
        {phase === "fetching" && atStart && t("fetchingEarlier")}
      </p>
      {fetchMore && (
        <Button
          size="small"
          className="to-start"
          data-shown={phase === "failed" || (phase === "fetching" && atStart) || undefined}
          // Not disabled: it would lose the keyboard.
          aria-busy={phase === "fetching" || undefined}
          onFocus={() => {
            focused.current = true;
          }}
          onBlur={(event) => {
            focused.current = event.relatedTarget === null;
          }}
          onClick={async () => {
            if (await fetchMore()) onCame();
          }}
        >
          <ArrowUp className="icon s" />
          {t("earlier")}
        </Button>
      )}
    </>
  );
}
