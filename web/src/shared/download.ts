import { failure, type QueryValue, send } from "./api/client";

/** The name a server gives a file, or null. */
export function nameFrom(disposition: string | null): string | null {
  const encoded = disposition?.match(/filename\*=UTF-8''([^;]+)/i)?.[1];
  if (encoded) {
    try {
      return decodeURIComponent(encoded);
    } catch {
      // Not as the standard has it: the plain name below will do.
    }
  }
  return disposition?.match(/filename="?([^";]+)"?/i)?.[1] ?? null;
}

/**
 * Fetches a file that needs the bearer and hands it to the browser to keep. A plain link cannot: it carries no
 * token. Throws `ApiError` where the server refuses.
 */
export async function download(
  path: string,
  fallbackName: string,
  query?: Readonly<Record<string, QueryValue>>,
): Promise<void> {
  const response = await send("GET", path, { query, headers: { accept: "*/*" } });
  if (!response.ok) throw await failure(response);
  keep(nameFrom(response.headers.get("content-disposition")) ?? fallbackName, await response.blob());
}

/** Hands a file that was made here to the browser to keep. */
export function saveText(name: string, text: string): void {
  keep(name, new Blob([text], { type: "text/plain" }));
}

function keep(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Some browsers begin to read only after this turn.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
