import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import { messageOf } from "@/shared/api/errors";
import type { Image, ImageChange, ImagePage } from "@/shared/api/types";
import type { ImageChoices } from "@/shared/catalog/imageOptions";
import { refreshProfile } from "@/shared/session";
import { toast } from "@/shared/toast";
import { messages } from "./i18n";

/** While a picture is under way the gallery looks by itself this often, ms, should a hint be missed. */
const WATCH_MS = 5000;

/** Most a label may hold, characters. */
export const MAX_LABEL_CHARS = 100;

export const isUnderWay = (image: Image) => image.state === "queued" || image.state === "running";
export const nameOf = (image: Image) => image.label || image.prompt || messages("shot")("untitled");

export const galleryOptions = infiniteQueryOptions({
  queryKey: ["images"],
  queryFn: ({ pageParam, signal }) => api.get<ImagePage>("images", { query: { page: pageParam }, signal }),
  initialPageParam: 1,
  getNextPageParam: (last: ImagePage, pages: ImagePage[]) =>
    last.hasNextPage ? pages.length + 1 : undefined,
  refetchInterval: (query) =>
    query.state.data?.pages.some((page) => page.images.some(isUnderWay)) ? WATCH_MS : false,
});

type Pages = InfiniteData<ImagePage>;
const { queryKey } = galleryOptions;

/** All pages as one list; what moved to a later page while one looked appears once. */
export function allImages(pages: readonly ImagePage[] | undefined): Image[] {
  const seen = new Map<string, Image>();
  for (const image of pages?.flatMap((page) => page.images) ?? []) {
    if (!seen.has(image._id)) seen.set(image._id, image);
  }
  return [...seen.values()];
}

/** The pages with one picture changed, or gone where `change` gives null. */
export function withImage(
  pages: Pages | undefined,
  id: string,
  change: (image: Image) => Image | null,
): Pages | undefined {
  return (
    pages && {
      ...pages,
      pages: pages.pages.map((page) => ({
        ...page,
        images: page.images.flatMap((image) => {
          const now = image._id === id ? change(image) : image;
          return now ? [now] : [];
        }),
      })),
    }
  );
}

/** Shows at once what is true of a picture; gives back how it was. */
async function show(client: QueryClient, id: string, change: (image: Image) => Image | null) {
  await client.cancelQueries({ queryKey });
  const before = client.getQueryData(queryKey);
  client.setQueryData(queryKey, (pages) => withImage(pages, id, change));
  return before;
}

/** Reads one picture again, as often as it is told to have grown. */
export async function refreshImage(client: QueryClient, id: string): Promise<void> {
  const { image } = await api.get<{ image: Image }>(`images/${encodeURIComponent(id)}`);
  client.setQueryData(queryKey, (pages) => withImage(pages, id, () => image));
}

export interface ImageOrder extends ImageChoices {
  prompt: string;
  label: string;
}

export const orderImage = (order: ImageOrder, key: string) =>
  api.post<{ image: Image; message: string }>("images/create", {
    json: order,
    headers: { "idempotency-key": key },
  });

/** Label and publicity, shown at once. */
export function useChangeImage() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, change }: { id: string; change: ImageChange }) =>
      api.put<{ image: Image }>(`images/${id}`, { json: change }),
    onMutate: ({ id, change }) =>
      show(client, id, (image) => ({
        ...image,
        label: change.label ?? image.label,
        public: change.public ?? image.public,
      })),
    onSuccess: ({ image }, { id }) =>
      client.setQueryData(queryKey, (pages) => withImage(pages, id, () => image)),
    onError: (error, _change, before) => {
      client.setQueryData(queryKey, before);
      toast.error(messageOf(error, messages("gallery")("changeFailed")));
    },
  });
}

/** Takes a picture away at once; for a while it can be brought back. */
export function useDeleteImage() {
  const client = useQueryClient();
  const reread = () => void client.invalidateQueries({ queryKey });
  const restore = useMutation({
    mutationFn: (id: string) => api.post(`images/${id}/restore`, { json: {} }),
    onError: (error) => toast.error(messageOf(error, messages("gallery")("backFailed"))),
    onSettled: reread,
  });
  return useMutation({
    mutationFn: (id: string) => api.delete(`images/${id}`),
    onMutate: (id) => show(client, id, () => null),
    onSuccess: (_answer, id) => toast.undo(messages("gallery")("deleted"), () => restore.mutate(id)),
    onError: (error, _id, before) => {
      client.setQueryData(queryKey, before);
      toast.error(messageOf(error, messages("gallery")("deleteFailed")));
    },
    onSettled: reread,
  });
}

/** Ends the drawing of a picture; its coins come back. One that was finished meanwhile is shown instead. */
export function useCancelImage() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.post<{ image: Image }>(`images/${id}/cancel`, { json: {} }),
    onSuccess: ({ image }, id) => {
      const gone = image.state === "canceled";
      client.setQueryData(queryKey, (pages) => withImage(pages, id, () => (gone ? null : image)));
      if (gone) toast.success(messages("gallery")("canceled"));
      refreshProfile().catch(() => undefined);
    },
    onError: (error) => toast.error(messageOf(error, messages("gallery")("cancelFailed"))),
    onSettled: () => void client.invalidateQueries({ queryKey }),
  });
}

/** Makes a picture the portrait of one of one's own characters. */
export function useMakePortrait() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, characterId }: { id: string; characterId: string }) =>
      api.post(`images/${id}/portrait`, { json: { characterId } }),
    onSuccess: (_answer, { characterId }) => {
      void client.invalidateQueries({ queryKey: ["character", characterId] });
      void client.invalidateQueries({ queryKey: ["characters"] });
    },
    onError: (error) => toast.error(messageOf(error, messages("portrait")("failed"))),
  });
}
