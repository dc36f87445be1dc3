import { useInfiniteQuery } from "@tanstack/react-query";
import { Flag, Trash2 } from "lucide-react";
import { type FormEvent, useState } from "react";
import type { Character, Review, ReviewList } from "@/shared/api/types";
import { ago, rating } from "@/shared/format";
import { DEFAULT_RATING } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { useReportQuestion } from "@/shared/report";
import { Link } from "@/shared/router";
import { useLoggedIn, useUser } from "@/shared/store";
import { toast } from "@/shared/toast";
import { Avatar, Button, Empty, IconButton, Meter, StarPicker, Stars, TextArea } from "@/shared/ui";
import { moreReviewsOptions, useDeleteReview, usePostReview } from "../api";
import { useMessages } from "../i18n";

/** Most a review may hold, characters. */
const MAX_REVIEW_CHARS = 2000;
const FROM_BEST = [5, 4, 3, 2, 1] as const;

function ReviewForm({ character, written }: { character: Character; written: boolean }) {
  const t = useMessages("reviews");
  const loggedIn = useLoggedIn();
  const post = usePostReview(character._id);
  const [comment, setComment] = useState("");
  const [stars, setStars] = useState(DEFAULT_RATING);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!loggedIn) {
      toast.info(t("login"));
      return;
    }
    post.mutate(
      { comment: comment.trim(), rating: stars },
      {
        onSuccess: () => {
          setComment("");
          setStars(DEFAULT_RATING);
        },
      },
    );
  };
  return (
    <form className="review-form" onSubmit={submit}>
      <TextArea
        label={t("label")}
        placeholder={t("placeholder", { name: character.name })}
        maxLength={MAX_REVIEW_CHARS}
        hint={written ? t("replaces") : undefined}
        required
        value={comment}
        onChange={(event) => setComment(event.target.value)}
      />
      <div className="review-send">
        <StarPicker label={t("rating")} value={stars} onChange={setStars} />
        <Button type="submit" busy={post.isPending} disabled={comment.trim() === ""}>
          {t("post")}
        </Button>
      </div>
    </form>
  );
}

function ReviewItem({ review, characterId }: { review: Review; characterId: string }) {
  const t = useMessages("reviews");
  const user = useUser();
  const remove = useDeleteReview(characterId);
  const report = useReportQuestion((state) => state.ask);
  const { username } = review.user;
  const mine = user?._id === review.user._id;
  return (
    <article className="review">
      <Avatar name={review.user.username} src={review.user.avatar} />
      <div>
        <header>
          <Link className="plain-link" to={paths.creator(review.user.username)}>
            <b>{review.user.username}</b>
          </Link>
          <Stars rating={review.rating} />
          <span className="text-3">{ago(review.createdAt)}</span>
          {mine && (
            <IconButton
              small
              className="review-tool"
              label={t("delete")}
              onClick={() => remove.mutate(review)}
            >
              <Trash2 className="icon s" />
            </IconButton>
          )}
          {user && !mine && (
            <IconButton
              small
              className="review-tool"
              label={t("report", { name: username })}
              onClick={() =>
                report({ kind: "review", id: review._id, name: t("reported", { name: username }) })
              }
            >
              <Flag className="icon s" />
            </IconButton>
          )}
        </header>
        <p>{review.comment}</p>
      </div>
    </article>
  );
}

/** The reviews that came with the page and the further pages; who wrote in between appears once. */
function allReviews(first: readonly Review[], pages: readonly ReviewList[] | undefined): Review[] {
  const further = pages?.flatMap((page) => page.reviews) ?? [];
  return [...new Map([...first, ...further].map((review) => [review._id, review])).values()];
}

/** How many gave each rating. Shown only while all reviews are here to be counted. */
function Distribution({ reviews }: { reviews: readonly Review[] }) {
  const t = useMessages("reviews");
  return (
    <div className="dist num">
      {FROM_BEST.map((stars) => {
        const count = reviews.filter((review) => review.rating === stars).length;
        return (
          <div key={stars}>
            <span>{stars}</span>
            <Meter label={t("stars", { count: stars })} value={count} max={reviews.length} />
            <span>{count}</span>
          </div>
        );
      })}
    </div>
  );
}

export function Reviews({ character }: { character: Character }) {
  const t = useMessages("reviews");
  const user = useUser();
  const { reviewsCount, averageRating } = character;
  const [asked, setAsked] = useState(false);
  const more = useInfiniteQuery({ ...moreReviewsOptions(character._id), enabled: asked });
  const reviews = allReviews(character.reviews, more.data?.pages);
  const mine = user?._id === character.creator._id;
  const rest = asked ? more.hasNextPage || more.isFetching || more.isError : reviews.length < reviewsCount;
  return (
    <div className="reviews">
      <div>
        <div className="score-row">
          <span className="score num">{rating(averageRating, reviewsCount) ?? t("unrated")}</span>
          <span>
            <Stars rating={averageRating ?? 0} />
            <br />
            <span className="hint num">{t("count", { count: reviewsCount })}</span>
          </span>
        </div>
        {reviews.length > 0 && reviews.length >= reviewsCount && <Distribution reviews={reviews} />}
      </div>
      <div>
        {!mine && (
          <ReviewForm
            character={character}
            written={user !== null && reviews.some((review) => review.user._id === user._id)}
          />
        )}
        <div className="review-list">
          {reviews.length === 0 ? (
            <Empty title={t("none")}>{t(mine ? "noneOwn" : "noneYet")}</Empty>
          ) : (
            reviews.map((review) => (
              <ReviewItem key={review._id} review={review} characterId={character._id} />
            ))
          )}
          {rest && (
            <div className="list-end">
              {more.isError && <p role="alert">{t("moreFailed")}</p>}
              <Button
                busy={more.isFetching}
                onClick={() => {
                  if (!asked) setAsked(true);
                  else if (more.data) void more.fetchNextPage();
                  else void more.refetch();
                }}
              >
                {t("more")}
              </Button>
            </div>
          )}
        </div>
      </div>
    </div>
  );
}
