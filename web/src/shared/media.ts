/** Widths the server keeps of every picture: 240, 480, and as made. */
export type ImageSize = "thumb" | "card" | "full";

/**
 * The same picture in another size; a signature covers all of them. An address that is not of the form
 * `/media/{asset}/{size}.webp` is left as it is.
 */
export function sized(url: string, size: ImageSize): string {
  return url.replace(/^(\/media\/[^/?]+\/)(?:thumb|card|full)(\.webp)/, `$1${size}$2`);
}
