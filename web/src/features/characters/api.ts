import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import type { CharacterCard, CharacterPage, Reaction, Review } from "@/shared/api/types";
import { useRoot } from "@/shared/store";

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

/** What failed here is only written to the console: the page shows the state the server last confirmed. */
const logged = (what: string) => (error: unknown) => console.error(`${what} failed`, error);

export function useReact(id: string) {
  const patch = usePatch(id);
  return useMutation({
    mutationFn: (reactionType: Reaction) =>
      api.post<{ likes: number; dislikes: number; userReaction: Reaction | null }>(`character/${id}/react`, {
        json: { reactionType },
      }),
    onSuccess: ({ likes, dislikes, userReaction }) =>
      patch((page) => ({ ...page, userReaction, character: { ...page.character, likes, dislikes } })),
    onError: logged("reaction"),
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
    onError: logged("review"),
  });
}
