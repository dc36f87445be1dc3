/** Widths the server keeps of every picture: 240, 480, and as made. */
export type ImageSize = "thumb" | "card" | "full";

/**
 * The same picture in another size. A signed address stands for one file only and is left as it is,
 * and so is one that is not of the form `/media/{asset}/{size}.webp`.
 */
export function sized(url: string, size: ImageSize): string {
  if (url.includes("sig=")) return url;
  return url.replace(/^(\/media\/.+\/)(?:thumb|card|full)(\.webp)/, `$1${size}$2`);
}
