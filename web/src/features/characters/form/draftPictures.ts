import { DRAFT_PICTURES } from "@/shared/begun";
import { openCaches } from "@/shared/storage";

/** Under this are the pictures of drafts, which are too large for where the words are kept. */
const PREFIX = "/drafts/";
const addressOf = (draft: string) => PREFIX + encodeURIComponent(draft);

/** Absent where the page is not served securely; refused where the browser keeps nothing. */
async function cache(): Promise<Cache | null> {
  return (
    openCaches()
      ?.open(DRAFT_PICTURES)
      .catch(() => null) ?? null
  );
}

/** Keeps the picture of a draft in the place of the one before; null lets it go. Quiet where there is no room. */
export async function keepPicture(draft: string, picture: File | null): Promise<void> {
  const kept = await cache();
  const address = addressOf(draft);
  if (picture) {
    const headers = { "content-type": picture.type };
    await kept?.put(address, new Response(picture, { headers })).catch(() => undefined);
  } else await kept?.delete(address).catch(() => undefined);
}

export async function pictureOfDraft(draft: string): Promise<File | null> {
  try {
    const blob = await (await (await cache())?.match(addressOf(draft)))?.blob();
    return blob ? new File([blob], "portrait", { type: blob.type }) : null;
  } catch {
    return null;
  }
}

/** Lets go of the pictures of all drafts but these. */
export async function sweepPictures(drafts: readonly string[]): Promise<void> {
  const kept = await cache();
  const wanted = new Set(drafts.map(addressOf));
  for (const request of (await kept?.keys().catch(() => [])) ?? [])
    if (!wanted.has(new URL(request.url).pathname)) await kept?.delete(request).catch(() => undefined);
}
