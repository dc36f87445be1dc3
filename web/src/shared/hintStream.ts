import { ApiError } from "./api/errors";
import { openStream } from "./api/sse";
import type { Hint } from "./api/types";
import { emit, OPENED, RECONNECTED } from "./hints";

/** Waits between attempts to come back, ms: doubled each time up to the last. */
const FIRST_WAIT_MS = 1000;
const LAST_WAIT_MS = 30_000;

const sleep = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });

/** The server's own word for hints that were lost on the way. */
const MISSED = "reload";

/** Listens until aborted, coming back after breaks. Gives up only where the server refuses the reader. */
export async function listenForHints(signal: AbortSignal): Promise<void> {
  let wait = FIRST_WAIT_MS;
  let broken = false;
  const onOpen = () => {
    wait = FIRST_WAIT_MS;
    emit(broken ? RECONNECTED : OPENED);
    broken = false;
  };
  while (!signal.aborted) {
    try {
      for await (const event of openStream("GET", "events", { signal, onOpen })) {
        if (event.event !== "hint") continue;
        const hint = JSON.parse(event.data) as Hint;
        emit(hint.type === MISSED ? RECONNECTED : hint);
      }
    } catch (error) {
      if (error instanceof ApiError && (error.status === 401 || error.status === 403)) return;
      if (!(error instanceof ApiError)) console.warn("hint not understood", error);
    }
    broken = true;
    await sleep(wait, signal);
    wait = Math.min(LAST_WAIT_MS, wait * 2);
  }
}
