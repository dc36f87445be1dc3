/** Lines that were begun in chats and not sent are kept in this browser under this, followed by the chat's id. */
const PREFIX = "line:";

/** The line that was begun in a chat; empty when there is none. */
export function readLine(chatId: string): string {
  try {
    return localStorage.getItem(PREFIX + chatId) ?? "";
  } catch {
    return "";
  }
}

/** Keeps a line that is being written, so that it outlives a reload; an empty one is forgotten. */
export function keepLine(chatId: string, line: string): void {
  try {
    if (line.trim() === "") localStorage.removeItem(PREFIX + chatId);
    else localStorage.setItem(PREFIX + chatId, line);
  } catch {
    // Full, or closed to us: the line lives as long as the page.
  }
}

/** Whoever signs out leaves nothing that was begun behind. */
export function forgetLines(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
  } catch {
    // Closed to us: nothing was kept.
  }
}
