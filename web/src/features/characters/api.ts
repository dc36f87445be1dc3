import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import { ApiError } from "@/shared/api/errors";
import type { CharacterCard, CharacterPage, Reaction, Review, ReviewList } from "@/shared/api/types";
import { REVIEWS_PAGE_SIZE } from "@/shared/limits";
import { useRoot } from "@/shared/store";
import { toast } from "@/shared/toast";
import { messages } from "./i18n";

export const characterOptions = (id: string) =>
  queryOptions({
    queryKey: ["character", id],
    queryFn: ({ signal }) => api.get<CharacterPage>(`character/${encodeURIComponent(id)}`, { signal }),
  });

/** A card passed along by the list, dressed as a page until the real one arrives. */
export function pageFromCard(card: CharacterCard): CharacterPage {
  return {
    character: {
      ...card,
      personality: "",
      firstMessage: "",
      scenario: "",
      exampleConversation: "",
      kinks: "",
      outfit: "",
      prompt: "",
      comments: 0,
      followCount: card.follows,
      reviewsCount: 0,
      averageRating: null,
      reviews: [],
      state: "live",
      portraitPending: false,
      exportable: false,
      alternateGreetings: [],
      characterBook: null,
      systemPrompt: "",
      postHistoryInstructions: "",
      creatorNotes: "",
      characterVersion: "",
      nickname: "",
      heldBecause: null,
    },
    userReaction: null,
    isFollowing: false,
    isFollowingCreator: false,
  };
}

export function useCharacter(id: string, card?: CharacterCard) {
  return useQuery({
    ...characterOptions(id),
    placeholderData: card && card._id === id ? pageFromCard(card) : undefined,
  });
}

/** Changes the cached page of a character, if it is there. */
function usePatch(id: string) {
  const client = useQueryClient();
  return (change: (page: CharacterPage) => CharacterPage) =>
    client.setQueryData(characterOptions(id).queryKey, (page) => page && change(page));
}

/** Reviews after those that came with the page. */
export const moreReviewsOptions = (id: string) =>
  infiniteQueryOptions({
    queryKey: ["character", id, "reviews"],
    queryFn: ({ pageParam, signal }) =>
      api.get<ReviewList>(`character/${encodeURIComponent(id)}/reviews`, {
        query: { page: pageParam, limit: REVIEWS_PAGE_SIZE },
        signal,
      }),
    initialPageParam: 2,
    getNextPageParam: (last: ReviewList) =>
      last.currentPage < last.totalPages ? last.currentPage + 1 : undefined,
  });

/** What failed here is only written to the console: the page shows the state the server last confirmed. */
const logged = (what: string) => (error: unknown) => console.error(`${what} failed`, error);

/** The page as it will be once a reaction is taken: the same again clears it, the other one moves it. */
export function reacted(page: CharacterPage, reaction: Reaction): CharacterPage {
  const before = page.userReaction;
  const after = before === reaction ? null : reaction;
  const count = (kind: Reaction, now: number) =>
    Math.max(0, now + (after === kind ? 1 : 0) - (before === kind ? 1 : 0));
  const { likes, dislikes } = page.character;
  return {
    ...page,
    userReaction: after,
    character: { ...page.character, likes: count("like", likes), dislikes: count("dislike", dislikes) },
  };
}

export function useReact(id: string) {
  const client = useQueryClient();
  const patch = usePatch(id);
  const { queryKey } = characterOptions(id);
  return useMutation({
    // One after the other: each press means what it did to the page that was pressed.
    scope: { id: `react ${id}` },
    mutationFn: (reactionType: Reaction) =>
      api.post<{ likes: number; dislikes: number; userReaction: Reaction | null }>(`character/${id}/react`, {
        json: { reactionType },
      }),
    onMutate: async (reaction) => {
      await client.cancelQueries({ queryKey });
      const before = client.getQueryData(queryKey);
      patch((page) => reacted(page, reaction));
      return before;
    },
    onSuccess: ({ likes, dislikes, userReaction }) =>
      patch((page) => ({ ...page, userReaction, character: { ...page.character, likes, dislikes } })),
    onError: (error, _reaction, before) => {
      client.setQueryData(queryKey, before);
      logged("reaction")(error);
    },
    // Pressed before the page had come, it stopped the reading of it.
    onSettled: (_answer, _error, _reaction, before) => {
      if (!before) void client.invalidateQueries({ queryKey });
    },
  });
}

export function useFollowCharacter(id: string) {
  const patch = usePatch(id);
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      api.post<{ isFollowing: boolean; followCount: number }>(`character/${id}/follow`, { json: {} }),
    onSuccess: ({ isFollowing, followCount }) => {
      patch((page) => ({
        ...page,
        isFollowing,
        character: { ...page.character, followCount, follows: followCount },
      }));
      const { userData, setUser } = useRoot.getState();
      if (userData) {
        const others = userData.followedCharacters.filter((followed) => followed !== id);
        setUser({ ...userData, followedCharacters: isFollowing ? [...others, id] : others });
      }
      void client.invalidateQueries({ queryKey: ["characters", "characters/followed"] });
    },
    onError: logged("follow"),
  });
}

export function usePostReview(id: string) {
  const patch = usePatch(id);
  const client = useQueryClient();
  return useMutation({
    mutationFn: (review: { comment: string; rating: number }) =>
      api.post<{ review: Review }>(`character/${id}/review`, { json: review }),
    onSuccess: ({ review }) => {
      // A second review replaces the first; averages come with the next read.
      patch((page) => ({
        ...page,
        character: {
          ...page.character,
          reviews: [review, ...page.character.reviews.filter((r) => r.user._id !== review.user._id)],
        },
      }));
      void client.invalidateQueries({ queryKey: characterOptions(id).queryKey });
    },
    onError: (error) => {
      // A refusal has its reasons, and whoever wrote the review can act on them.
      if (error instanceof ApiError && REFUSED.has(error.status)) toast.error(error.message);
      logged("review")(error);
    },
  });
}

/** Statuses that say something about what was sent, not about the house. */
const REFUSED = new Set([400, 403, 422, 429]);

/** Takes one's own review away at once; Undo posts it again. */
export function useDeleteReview(id: string) {
  const client = useQueryClient();
  const patch = usePatch(id);
  const { queryKey } = characterOptions(id);
  const further = moreReviewsOptions(id).queryKey;
  const again = usePostReview(id);
  return useMutation({
    mutationFn: (_review: Review) => api.delete(`character/${id}/review`),
    onMutate: async (review) => {
      await client.cancelQueries({ queryKey });
      const before = { page: client.getQueryData(queryKey), further: client.getQueryData(further) };
      const others = (reviews: Review[]) => reviews.filter((other) => other._id !== review._id);
      patch((page) => ({
        ...page,
        character: {
          ...page.character,
          reviewsCount: Math.max(0, page.character.reviewsCount - 1),
          reviews: others(page.character.reviews),
        },
      }));
      client.setQueryData(
        further,
        (list) =>
          list && { ...list, pages: list.pages.map((page) => ({ ...page, reviews: others(page.reviews) })) },
      );
      return before;
    },
    onSuccess: (_done, { comment, rating }) => {
      toast.undo(messages("reviews")("deleted"), () => again.mutate({ comment, rating }));
    },
    onError: (error, _review, before) => {
      client.setQueryData(queryKey, before?.page);
      client.setQueryData(further, before?.further);
      toast.error(messages("reviews")("deleteFailed"));
      console.error("review not deleted", error);
    },
    onSettled: () => void client.invalidateQueries({ queryKey }),
  });
}
