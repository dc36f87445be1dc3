import { type FormEvent, useState } from "react";
import { Link } from "react-router";
import type { Character, Review } from "@/shared/api/types";
import { ago, plural, rating } from "@/shared/format";
import { DEFAULT_RATING } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { useLoggedIn, useUser } from "@/shared/store";
import { toast } from "@/shared/toast";
import { Avatar, Button, Empty, Meter, StarPicker, Stars, TextArea } from "@/shared/ui";
import { usePostReview } from "../api";

/** Most a review may hold, characters. */
const MAX_REVIEW_CHARS = 2000;
const FROM_BEST = [5, 4, 3, 2, 1] as const;

function ReviewForm({ character }: { character: Character }) {
  const loggedIn = useLoggedIn();
  const post = usePostReview(character._id);
  const [comment, setComment] = useState("");
  const [stars, setStars] = useState(DEFAULT_RATING);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!loggedIn) {
      toast.info("Login to leave a review!");
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
        label="Your review"
        placeholder={`What was ${character.name} like to play with?`}
        maxLength={MAX_REVIEW_CHARS}
        required
        value={comment}
        onChange={(event) => setComment(event.target.value)}
      />
      <div className="review-send">
        <StarPicker label="Your rating" value={stars} onChange={setStars} />
        <Button type="submit" busy={post.isPending} disabled={comment.trim() === ""}>
          Post review
        </Button>
      </div>
    </form>
  );
}

function ReviewItem({ review }: { review: Review }) {
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
        </header>
        <p>{review.comment}</p>
      </div>
    </article>
  );
}

/** How many gave each rating. Shown only while all reviews are here to be counted. */
function Distribution({ reviews }: { reviews: readonly Review[] }) {
  return (
    <div className="dist num">
      {FROM_BEST.map((stars) => {
        const count = reviews.filter((review) => review.rating === stars).length;
        return (
          <div key={stars}>
            <span>{stars}</span>
            <Meter label={`${stars} stars`} value={count} max={reviews.length} />
            <span>{count}</span>
          </div>
        );
      })}
    </div>
  );
}

export function Reviews({ character }: { character: Character }) {
  const user = useUser();
  const { reviews, reviewsCount, averageRating } = character;
  const mine = user?._id === character.creator._id;
  return (
    <div className="reviews">
      <div>
        <div className="score-row">
          <span className="score num">{rating(averageRating, reviewsCount)}</span>
          <span>
            <Stars rating={averageRating ?? 0} />
            <br />
            <span className="hint num">{plural(reviewsCount, "review")}</span>
          </span>
        </div>
        {reviews.length > 0 && reviews.length >= reviewsCount && <Distribution reviews={reviews} />}
      </div>
      <div>
        {!mine && <ReviewForm character={character} />}
        <div className="review-list">
          {reviews.length === 0 ? (
            <Empty title="No reviews yet">
              {mine ? "Your audience has not spoken." : "Yours could be the first."}
            </Empty>
          ) : (
            reviews.map((review) => <ReviewItem key={review._id} review={review} />)
          )}
        </div>
      </div>
    </div>
  );
}
