use std::sync::Arc;

use kit::testing::{as_user, as_user_with_key, publish, published};
use proto::{
    catalog::v1::{
        Counts, DeleteReviewRequest, PutReviewRequest, ReactRequest, Reaction, SetBlockRequest,
        ToggleCharacterFollowRequest, blocks_client::BlocksClient, reactions_client::ReactionsClient,
        reviews_client::ReviewsClient,
    },
    events::v1::{FollowChanged, ReviewPosted},
};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::support::{House, draft, house, id, reason};

async fn counts(house: &House, made: &str) -> (Counts, Option<f64>) {
    let seen = house.see(None, made).await.expect("there").character.expect("one");
    (seen.card.expect("a card").counts.expect("counts"), seen.average_rating)
}

fn rating(made: &str, rating: u32, comment: &str) -> PutReviewRequest {
    PutReviewRequest { character_id: made.into(), rating, comment: comment.into() }
}

#[tokio::test]
async fn two_hundred_likes_and_clears_at_once_end_at_the_true_number() {
    let house = Arc::new(house().await);
    let (_, ada) = house.creator("ada").await;
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    let fans: Vec<String> = (0..8).map(|n| house.issuer.user(&format!("fan{n}")).1).collect();
    let mut asked = JoinSet::new();
    for n in 0..200usize {
        let (house, made, token) = (house.clone(), made.clone(), fans[n % 8].clone());
        asked.spawn(async move {
            let mut reactions = ReactionsClient::new(house.channel());
            let mut reviews = ReviewsClient::new(house.channel());
            as_user(&token, async {
                // Each kind of deed, of every fan, on and off in no order.
                let reaction = if n % 5 == 0 { Reaction::Dislike } else { Reaction::Like };
                let react = ReactRequest { character_id: made.clone(), reaction: reaction.into() };
                reactions.react(react).await.expect("taken");
                let follow = ToggleCharacterFollowRequest { character_id: made.clone() };
                reactions.toggle_character_follow(follow).await.expect("taken");
                if n % 3 == 0 {
                    let delete = DeleteReviewRequest { character_id: made.clone() };
                    if let Err(refused) = reviews.delete_review(delete).await {
                        assert_eq!(reason(&refused), "review_not_found");
                    }
                } else {
                    let stars = u32::try_from(n % 5 + 1).expect("small");
                    reviews.put_review(rating(&made, stars, "Words.")).await.expect("taken");
                }
            })
            .await;
        });
    }
    asked.join_all().await;
    let rows: (i64, i64, i64, i64, Option<f64>) = sqlx::query_as(
        "select (select count(*) from reaction where kind = 'like'), (select count(*) from reaction where kind = 'dislike'),
                (select count(*) from character_follow), (select count(*) from review), (select avg(rating)::float8 from review)",
    )
    .fetch_one(&house.db.pool)
    .await
    .expect("counted");
    let (told, mean) = counts(&house, &made).await;
    let told =
        [told.likes, told.dislikes, told.follows, told.reviews].map(|n| i64::try_from(n).expect("small"));
    assert_eq!(told, [rows.0, rows.1, rows.2, rows.3]);
    assert!((mean.unwrap_or(0.0) - rows.4.unwrap_or(0.0)).abs() < 1e-9, "{mean:?} is not {:?}", rows.4);
    let listed: i64 =
        sqlx::query_scalar("select likes from listing").fetch_one(&house.db.pool).await.expect("listed");
    assert_eq!(listed, rows.0, "lists rank by the same number");
}

#[tokio::test]
async fn a_review_can_be_taken_away_and_the_counts_follow() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let (_, bea) = house.issuer.user("bea");
    let (_, cyd) = house.issuer.user("cyd");
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    let mut reviews = ReviewsClient::new(house.channel());
    as_user(&bea, reviews.put_review(rating(&made, 2, "Too quiet."))).await.expect("taken");
    as_user(&cyd, reviews.put_review(rating(&made, 5, "Just right."))).await.expect("taken");
    assert_eq!(counts(&house, &made).await.1, Some(3.5));
    let delete = DeleteReviewRequest { character_id: made.clone() };
    as_user(&bea, reviews.delete_review(delete.clone())).await.expect("gone");
    let (left, mean) = counts(&house, &made).await;
    assert_eq!((left.reviews, mean), (1, Some(5.0)));
    let again = as_user(&bea, reviews.delete_review(delete.clone())).await.expect_err("no more");
    assert_eq!(reason(&again), "review_not_found");
    as_user(&cyd, reviews.delete_review(delete)).await.expect("gone");
    assert_eq!(counts(&house, &made).await.1, None);
}

#[tokio::test]
async fn the_owner_is_told_of_a_first_review_once() {
    let house = house().await;
    let seen = published(&house.common, &["catalog.#"]).await;
    let (owner, ada) = house.creator("ada").await;
    let (bea_id, bea) = house.issuer.user("bea");
    let (_, cyd) = house.issuer.user("cyd");
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    let mut reviews = ReviewsClient::new(house.channel());
    let put = as_user_with_key(&bea, "k", reviews.put_review(rating(&made, 4, "A fine clock."))).await;
    let again = as_user_with_key(&bea, "k", reviews.put_review(rating(&made, 4, "A fine clock."))).await;
    assert_eq!(put.expect("taken").into_inner(), again.expect("the same").into_inner());
    let other = as_user_with_key(&bea, "k", reviews.put_review(rating(&made, 1, "No."))).await;
    assert_eq!(reason(&other.expect_err("another body")), "idempotency_mismatch");
    as_user(&bea, reviews.put_review(rating(&made, 5, "Better still."))).await.expect("changed");
    as_user(&cyd, reviews.put_review(rating(&made, 3, "Well."))).await.expect("taken");
    seen.wait::<ReviewPosted>("catalog.review.posted", |p| p.reviewer_name == "cyd").await;
    let told = seen.all::<ReviewPosted>("catalog.review.posted");
    assert_eq!(told.len(), 2, "a change is not told");
    let first = told.iter().find(|p| p.reviewer_name == "bea").expect("bea's");
    assert_eq!((first.owner_id.as_str(), first.rating), (owner.to_string().as_str(), 4));
    assert_eq!((first.reviewer_id.clone(), first.character_name.as_str()), (bea_id.to_string(), "Tess"));
}

#[tokio::test]
async fn what_one_did_can_be_undone_when_the_card_is_no_longer_to_be_seen() {
    let house = house().await;
    let (owner, ada) = house.creator("ada").await;
    let (_, bea) = house.issuer.user("bea");
    let made = id(&house.create(&ada, draft("Tess")).await.expect("created"));
    let mut reactions = ReactionsClient::new(house.channel());
    let follow = ToggleCharacterFollowRequest { character_id: made.clone() };
    let like = ReactRequest { character_id: made.clone(), reaction: Reaction::Like.into() };
    as_user(&bea, reactions.toggle_character_follow(follow.clone())).await.expect("followed");
    as_user(&bea, reactions.react(like.clone())).await.expect("liked");
    let block = SetBlockRequest { kind: 2, target: owner.to_string(), on: true };
    as_user(&bea, BlocksClient::new(house.channel()).set_block(block)).await.expect("blocked");
    let off = as_user(&bea, reactions.toggle_character_follow(follow.clone())).await.expect("let go");
    assert!(!off.into_inner().is_following);
    let off = as_user(&bea, reactions.react(like.clone())).await.expect("taken back").into_inner();
    assert_eq!((off.likes, off.user_reaction()), (0, Reaction::Unspecified));
    let on = as_user(&bea, reactions.toggle_character_follow(follow)).await.expect_err("not anew");
    assert_eq!(reason(&on), "character_not_found");
    as_user(&bea, reactions.react(like)).await.expect_err("nor that");
}

#[tokio::test]
async fn follows_of_creators_end_at_the_newest_that_was_told() {
    let house = house().await;
    let (follower, followee) = (Uuid::now_v7(), Uuid::now_v7());
    for version in [3, 1, 5, 2, 4] {
        let event = FollowChanged {
            follower_id: follower.to_string(),
            followee_id: followee.to_string(),
            on: version % 2 == 1,
            version,
        };
        publish(&house.common, "auth.follow.changed", &event).await;
    }
    kit::testing::eventually(|| async {
        let row: (bool, i64) = sqlx::query_as("select is_on, version from creator_follow")
            .fetch_optional(&house.db.pool)
            .await
            .ok()??;
        (row == (true, 5)).then_some(())
    })
    .await;
}
