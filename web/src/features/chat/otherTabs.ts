const CHANNEL = "chat-changes";

/** A chat was changed in this tab. */
interface Change {
  chatId: string;
}

let channel: BroadcastChannel | null = null;
const open = () => {
  if (typeof BroadcastChannel === "undefined") return null;
  channel ??= new BroadcastChannel(CHANNEL);
  return channel;
};

/** Tells the other tabs of this browser that a chat has changed: they ask the server what it is now. */
export const tellOtherTabs = (chatId: string): void => open()?.postMessage({ chatId } satisfies Change);

/** Hears what other tabs have changed. */
export function onOtherTab(listener: (chatId: string) => void): () => void {
  const from = open();
  if (!from) return () => undefined;
  const heard = ({ data }: MessageEvent<Change>) => listener(data.chatId);
  from.addEventListener("message", heard);
  return () => from.removeEventListener("message", heard);
}
