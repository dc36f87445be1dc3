import { createParser, type EventSourceMessage } from "eventsource-parser";
import { type CallOptions, failure, send } from "./client";
import { networkError } from "./errors";

export interface ServerEvent {
  /** The event's name; `message` when the server gave none. */
  event: string;
  data: string;
  id: string | undefined;
}

/** Splits a byte stream into server-sent events. Ends when the stream ends; throws when it breaks. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const ready: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => ready.push(event) });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      parser.feed(decoder.decode(value, { stream: true }));
      for (const event of ready.splice(0)) {
        yield { event: event.event ?? "message", data: event.data, id: event.id };
      }
    }
  } finally {
    // A consumer that leaves early must not keep the connection open.
    await reader.cancel().catch(() => undefined);
  }
}

/**
 * Opens a stream under `/api` with the bearer in its header and yields its events.
 * `onOpen` runs once the stream stands, before its first event.
 * Throws `ApiError` for an answer that is not a stream and for a broken connection; an abort ends it quietly.
 */
export async function* openStream(
  method: "GET" | "POST" | "PUT",
  path: string,
  options: CallOptions & { lastEventId?: string; onOpen?: () => void } = {},
): AsyncGenerator<ServerEvent> {
  const { lastEventId, onOpen, headers, ...rest } = options;
  try {
    const response = await send(method, path, {
      ...rest,
      headers: {
        ...headers,
        accept: "text/event-stream",
        ...(lastEventId ? { "last-event-id": lastEventId } : {}),
      },
    });
    if (!response.ok) throw await failure(response);
    if (!response.body || !response.headers.get("content-type")?.startsWith("text/event-stream")) {
      throw networkError();
    }
    onOpen?.();
    yield* readEvents(response.body);
  } catch (error) {
    if (options.signal?.aborted) return;
    throw error instanceof Error && error.name === "ApiError" ? error : networkError();
  }
}
