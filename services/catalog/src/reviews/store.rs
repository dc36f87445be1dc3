use std::collections::HashSet;

use kit::{db::Transaction, time::to_proto};
use proto::catalog::v1::Review as PbReview;
use serde::Deserialize;
use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::error::Result;

#[derive(Debug, Clone, Deserialize)]
pub struct Review {
    pub id: Uuid,
    pub user_id: Uuid,
    pub username: String,
    pub avatar_asset: String,
    pub rating: i32,
    pub comment: String,
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

impl From<Review> for PbReview {
    fn from(r: Review) -> Self {
        Self {
            id: r.id.to_string(),
            user_id: r.user_id.to_string(),
            username: r.username,
            avatar_asset: r.avatar_asset,
            rating: r.rating.unsigned_abs(),
            comment: r.comment,
            created_at: Some(to_proto(r.created_at)),
        }
    }
}

/// A page of them, the newest first, without those of suspended writers and of writers whom the reader has blocked.
/// Hidden reviews make it shorter.
pub async fn newest(
    db: impl PgExecutor<'_>,
    character: Uuid,
    blocked: &HashSet<Uuid>,
    limit: i64,
    offset: i64,
) -> Result<Vec<Review>> {
    let mut reviews = sqlx::query_as!(
        Review,
        r#"select id as "id!", user_id as "user_id!", username as "username!", avatar_asset as "avatar_asset!",
                  rating as "rating!", comment as "comment!", created_at as "created_at!"
           from newest_reviews($1, $2, $3)"#,
        character,
        limit,
        offset
    )
    .fetch_all(db)
    .await?;
    reviews.retain(|review| !blocked.contains(&review.user_id));
    Ok(reviews)
}

pub async fn find(db: impl PgExecutor<'_>, review: Uuid) -> Result<Option<Review>> {
    let review = sqlx::query_as!(
        Review,
        r#"select r.id, r.user_id, coalesce(k.username, '') as "username!", coalesce(k.avatar_asset, '') as "avatar_asset!",
                  r.rating, r.comment, r.created_at
           from review r left join creator k on k.user_id = r.user_id where r.id = $1"#,
        review
    )
    .fetch_optional(db)
    .await?;
    Ok(review)
}

/// Takes the user's review and its part of the counts away; false when there is none.
pub async fn delete(tx: &mut Transaction, character: Uuid, user: Uuid) -> Result<bool> {
    lock(tx, character).await?;
    let rating = sqlx::query_scalar!(
        "delete from review where character_id = $1 and user_id = $2 returning rating",
        character,
        user
    )
    .fetch_optional(&mut **tx)
    .await?;
    let Some(rating) = rating else { return Ok(false) };
    sqlx::query!(
        "update character_stats set reviews = reviews - 1, rating_sum = rating_sum - $2 where character_id = $1",
        character,
        i64::from(rating)
    )
    .execute(&mut **tx)
    .await?;
    Ok(true)
}

/// Locks the counts, so that reviews of one character come one after the other.
async fn lock(tx: &mut Transaction, character: Uuid) -> Result<()> {
    sqlx::query_scalar!(
        "select character_id from character_stats where character_id = $1 for update",
        character
    )
    .fetch_optional(&mut **tx)
    .await?;
    Ok(())
}

pub async fn count(db: impl PgExecutor<'_>, character: Uuid) -> Result<i64> {
    Ok(sqlx::query_scalar!("select reviews from character_stats where character_id = $1", character)
        .fetch_optional(db)
        .await?
        .unwrap_or(0))
}

/// Adds or replaces the user's review and its part of the counts; answers whether it is their first.
pub async fn put(
    tx: &mut Transaction,
    character: Uuid,
    user: Uuid,
    rating: i32,
    comment: &str,
    at: OffsetDateTime,
) -> Result<(Uuid, bool)> {
    lock(tx, character).await?;
    let before = sqlx::query_scalar!(
        "select rating from review where character_id = $1 and user_id = $2",
        character,
        user
    )
    .fetch_optional(&mut **tx)
    .await?;
    let id = sqlx::query_scalar!(
        "insert into review (id, character_id, user_id, rating, comment, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $6)
         on conflict (character_id, user_id)
             do update set rating = excluded.rating, comment = excluded.comment, updated_at = now()
         returning id",
        Uuid::now_v7(),
        character,
        user,
        rating,
        comment,
        at
    )
    .fetch_one(&mut **tx)
    .await?;
    sqlx::query!(
        "update character_stats set reviews = reviews + $2, rating_sum = rating_sum + $3 where character_id = $1",
        character,
        i64::from(before.is_none()),
        i64::from(rating - before.unwrap_or(0))
    )
    .execute(&mut **tx)
    .await?;
    Ok((id, before.is_none()))
}
