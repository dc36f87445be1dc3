import { infiniteQueryOptions } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import type { Image, ImagePage } from "@/shared/api/types";
import type { ImageChoices } from "@/shared/catalog/imageOptions";
import { newKey } from "@/shared/key";

/** While a picture is under way the gallery looks by itself this often, ms, should a hint be missed. */
const WATCH_MS = 5000;

export const isUnderWay = (image: Image) => image.state === "queued" || image.state === "running";

export const galleryOptions = infiniteQueryOptions({
  queryKey: ["images"],
  queryFn: ({ pageParam, signal }) => api.get<ImagePage>("images", { query: { page: pageParam }, signal }),
  initialPageParam: 1,
  getNextPageParam: (last: ImagePage, pages: ImagePage[]) =>
    last.hasNextPage ? pages.length + 1 : undefined,
  refetchInterval: (query) =>
    query.state.data?.pages.some((page) => page.images.some(isUnderWay)) ? WATCH_MS : false,
});

/** All pages as one list; what moved to a later page while one looked appears once. */
export function allImages(pages: readonly ImagePage[] | undefined): Image[] {
  const seen = new Map<string, Image>();
  for (const image of pages?.flatMap((page) => page.images) ?? []) {
    if (!seen.has(image._id)) seen.set(image._id, image);
  }
  return [...seen.values()];
}

export interface ImageOrder extends ImageChoices {
  prompt: string;
  label: string;
}

export const orderImage = (order: ImageOrder) =>
  api.post<{ image: Image; message: string }>("images/create", {
    json: order,
    headers: { "idempotency-key": newKey() },
  });
