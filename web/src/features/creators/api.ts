import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import type { FollowerItem, TopCreator, User } from "@/shared/api/types";
import { PEOPLE_PAGE_SIZE } from "@/shared/limits";
import { useRoot } from "@/shared/store";

export const creatorOptions = (username: string) =>
  queryOptions({
    queryKey: ["creator", username],
    queryFn: ({ signal }) => api.get<User>(`user/${encodeURIComponent(username)}`, { signal }),
  });

/** Who follows somebody, or whom they follow. */
export type PeopleKind = "followers" | "following";

interface PeoplePage {
  people: FollowerItem[];
  totalPages: number;
}

export const peopleOptions = (kind: PeopleKind, creatorId: string) =>
  infiniteQueryOptions({
    queryKey: ["creator", creatorId, kind],
    queryFn: async ({ pageParam, signal }): Promise<PeoplePage> => {
      const page = await api.get<{ [K in PeopleKind]?: FollowerItem[] } & { totalPages: number }>(
        `user/${creatorId}/${kind}`,
        { query: { page: pageParam, limit: PEOPLE_PAGE_SIZE }, signal },
      );
      return { people: page[kind] ?? [], totalPages: page.totalPages };
    },
    initialPageParam: 1,
    getNextPageParam: (last: PeoplePage, pages: PeoplePage[]) =>
      pages.length < last.totalPages ? pages.length + 1 : undefined,
  });

/** Follows or unfollows, and moves the follower count by one as the server answers. */
export function useFollowCreator(creator: User) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      api.post<{ isFollowing: boolean; followerCount?: number }>(`user/${creator._id}/follow`, { json: {} }),
    onSuccess: ({ isFollowing, followerCount }) => {
      const { userData, setUser } = useRoot.getState();
      client.setQueryData(creatorOptions(creator.username).queryKey, (user) => {
        if (!user) return user;
        const others = user.followers.filter((follower) => follower._id !== userData?._id);
        const me = userData && { _id: userData._id, username: userData.username, pfp: userData.pfp };
        return {
          ...user,
          followers: isFollowing && me ? [me, ...others] : others,
          followerCount: followerCount ?? user.followerCount + (isFollowing ? 1 : -1),
        };
      });
      if (userData) {
        const others = userData.followedCreators.filter((followed) => followed._id !== creator._id);
        const item = { _id: creator._id, username: creator.username, pfp: creator.pfp };
        setUser({ ...userData, followedCreators: isFollowing ? [...others, item] : others });
      }
      void client.invalidateQueries({ queryKey: peopleOptions("followers", creator._id).queryKey });
      if (userData)
        void client.invalidateQueries({ queryKey: peopleOptions("following", userData._id).queryKey });
      void client.invalidateQueries({ queryKey: ["characters", "characters/random-from-followed"] });
    },
    onError: (error) => console.error("follow failed", error),
  });
}

/** What creators are ranked by. */
export type Ranking = "engaging" | "trending" | "followers";

/** The best 24 creators, best first. */
export const topCreatorsOptions = (by: Ranking) =>
  queryOptions({
    queryKey: ["creators", "top", by],
    queryFn: ({ signal }): Promise<TopCreator[]> =>
      api
        .get<{ creators: TopCreator[] }>("creators/top", { query: { by }, signal })
        .then((page) => page.creators),
  });
