import { preload } from "react-dom";

/** Widths the server keeps of every picture: 240, 480, and as made. */
export type ImageSize = "thumb" | "card" | "full";

const OURS = /^(\/media\/[^/?]+\/)(?:thumb|card|full)(\.webp)/;
/** Of the full one, that of a drawn portrait; an upload may differ, which only shifts the browser's choice. */
const WIDTHS: Readonly<Record<ImageSize, number>> = { thumb: 240, card: 480, full: 832 };

/**
 * The same picture in another size; a signature covers all of them. An address that is not of the form
 * `/media/{asset}/{size}.webp` is left as it is.
 */
export function sized(url: string, size: ImageSize): string {
  return url.replace(OURS, `$1${size}$2`);
}

/** How wide a card's art stands in a grid or a row, as `sizes` says it. */
export const CARD_SIZES = "(max-width: 767px) 62vw, (max-width: 1199px) 30vw, 270px";

/**
 * What an `<img>` needs for the browser to take the smallest picture that is sharp where it stands; `sizes` says how
 * wide that is. For an address that is not ours it is the address alone.
 */
export function fitted(url: string, sizes: string, offered: readonly ImageSize[] = ["thumb", "card"]) {
  const src = sized(url, offered.at(-1) ?? "full");
  if (!OURS.test(url)) return { src };
  const srcSet = offered.map((size) => `${sized(url, size)} ${WIDTHS[size]}w`).join(", ");
  return { src, srcSet, sizes };
}

/**
 * What the `<img>` of a character's portrait on its own page needs. The server asks the browser for the same in the
 * page's head (`scripts/arrivals.mjs`).
 */
export function poster(url: string) {
  return fitted(url, "(max-width: 767px) 100vw, (max-width: 1199px) 260px, 400px", ["card", "full"]);
}

/** Asks for a card's picture before its card is shown. */
export function askForCard(url: string): void {
  const { src, srcSet, sizes } = fitted(url, CARD_SIZES);
  preload(src, { as: "image", imageSrcSet: srcSet, imageSizes: sizes, fetchPriority: "high" });
}
