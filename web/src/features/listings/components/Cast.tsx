import { useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { api } from "@/shared/api/client";
import type { FollowerItem, User } from "@/shared/api/types";
import { paths } from "@/shared/paths";
import { Link } from "@/shared/router";
import { Avatar } from "@/shared/ui";
import { useMessages } from "../i18n";

/** Faces in the row; the profile has all of them. */
const FACES = 12;
const BONES = ["a", "b", "c", "d", "e"];

/** The creators one follows, the newest first. Away while there are none, or when they cannot be read. */
export function Cast({ user }: { user: User }) {
  const t = useMessages("following");
  const { data, isPending } = useQuery({
    queryKey: ["creators", "followed", user._id, "first"],
    queryFn: ({ signal }) =>
      api.get<{ following: FollowerItem[]; totalPages: number }>(`user/${user._id}/following`, {
        query: { limit: FACES },
        signal,
      }),
    // Who was followed a moment ago stands in the row.
    staleTime: 0,
  });
  // The stored profile knows whether there is anybody, so that the row keeps its place while it loads.
  if (isPending && user.followedCreators.length > 0) {
    return (
      <div className="cast" aria-hidden="true">
        {BONES.map((key) => (
          <span className="cast-one" key={key}>
            <span className="face l skeleton" />
            <span className="who">&nbsp;</span>
          </span>
        ))}
      </div>
    );
  }
  if (!data?.following.length) return null;
  return (
    <nav className="cast" aria-label={t("creators")}>
      {data.following.map((creator) => (
        <Link key={creator._id} to={paths.creator(creator.username)}>
          <Avatar name={creator.username} src={creator.pfp} size="large" />
          <span className="who">{creator.username}</span>
        </Link>
      ))}
      {data.totalPages > 1 && (
        <Link to={`${paths.creator(user.username)}?tab=following`}>
          <span className="face l cast-all">
            <ChevronRight className="icon" />
          </span>
          <span className="who">{t("all")}</span>
        </Link>
      )}
    </nav>
  );
}
