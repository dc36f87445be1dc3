import { browserKept } from "./storage";

/** Lines that were begun in chats and not sent are kept in this browser under this, followed by the chat's id. */
const PREFIX = "line:";

/** The line that was begun in a chat; empty when there is none. */
export const readLine = (chatId: string): string => browserKept.getItem(PREFIX + chatId) ?? "";

/** Keeps a line that is being written, so that it outlives a reload; an empty one is forgotten. */
export function keepLine(chatId: string, line: string): void {
  if (line.trim() === "") browserKept.removeItem(PREFIX + chatId);
  else browserKept.setItem(PREFIX + chatId, line);
}

/** Whoever signs out leaves nothing that was begun behind. */
export function forgetLines(): void {
  for (const key of browserKept.keys()) if (key.startsWith(PREFIX)) browserKept.removeItem(key);
}
