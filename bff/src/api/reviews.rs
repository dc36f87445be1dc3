//! Reviews of characters.

use axum::{Json, extract::State as Shared};
use proto::catalog::v1::{self as pb, DeleteReviewRequest, ListReviewsRequest, PutReviewRequest};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::{Done, PageArgs, when};
use crate::{
    State,
    errors::{Answer, Problem},
    extract::{JsonBody, QueryArgs, Segment},
    media,
};

/// Rating of a review that names none.
const DEFAULT_RATING: u32 = 5;

#[derive(Debug, Serialize, ToSchema)]
pub struct Reviewer {
    #[serde(rename = "_id")]
    id: String,
    username: String,
    #[schema(required)]
    avatar: Option<String>,
}

/// A review.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Review {
    #[serde(rename = "_id")]
    id: String,
    user: Reviewer,
    /// 1 to 5.
    rating: u32,
    comment: String,
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
}

impl From<pb::Review> for Review {
    fn from(review: pb::Review) -> Self {
        Self {
            created_at: when(review.created_at.as_ref()),
            id: review.id,
            user: Reviewer {
                id: review.user_id,
                username: review.username,
                avatar: media::avatar(&review.avatar_asset),
            },
            rating: review.rating,
            comment: review.comment,
        }
    }
}

#[derive(Deserialize, ToSchema)]
pub struct ReviewBody {
    #[serde(default)]
    #[schema(max_length = 2000)]
    comment: String,
    /// 1 to 5; 5 when absent.
    #[schema(minimum = 1, maximum = 5)]
    rating: Option<u32>,
}

#[derive(Serialize, ToSchema)]
pub struct Reviewed {
    success: bool,
    review: Review,
}

/// Reviews a character; a second review replaces the first.
#[utoipa::path(post, path = "/character/{id}/review", tag = "characters", params(("id" = String, Path), ("Idempotency-Key" = Option<String>, Header)), request_body = ReviewBody, responses((status = 200, body = Reviewed)))]
pub async fn put(
    Shared(app): Shared<State>,
    Segment(id): Segment<String>,
    JsonBody(body): JsonBody<ReviewBody>,
) -> Answer<Json<Reviewed>> {
    let request = PutReviewRequest {
        character_id: id,
        rating: body.rating.unwrap_or(DEFAULT_RATING),
        comment: body.comment,
    };
    let review = app.clients.reviews().put_review(request).await?.into_inner().review;
    let review = review.ok_or_else(|| Problem::of("internal"))?;
    Ok(Json(Reviewed { success: true, review: review.into() }))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewList {
    success: bool,
    reviews: Vec<Review>,
    current_page: u32,
    total_pages: u32,
    total: u64,
}

/// Reviews of a character, the newest first.
#[utoipa::path(get, path = "/character/{id}/reviews", tag = "characters", params(("id" = String, Path), PageArgs), responses((status = 200, body = ReviewList)))]
pub async fn list(
    Shared(app): Shared<State>,
    Segment(id): Segment<String>,
    QueryArgs(args): QueryArgs<PageArgs>,
) -> Answer<Json<ReviewList>> {
    let request = ListReviewsRequest { character_id: id, page: args.page()? };
    let found = app.clients.reviews().list_reviews(request).await?.into_inner();
    let page = found.page.unwrap_or_default();
    Ok(Json(ReviewList {
        success: true,
        reviews: found.reviews.into_iter().map(Into::into).collect(),
        current_page: page.page,
        total_pages: page.total_pages,
        total: page.total,
    }))
}

/// Takes one's own review away.
#[utoipa::path(delete, path = "/character/{id}/review", tag = "characters", params(("id" = String, Path)), responses((status = 200, body = Done)))]
pub async fn delete(Shared(app): Shared<State>, Segment(id): Segment<String>) -> Answer<Json<Done>> {
    app.clients.reviews().delete_review(DeleteReviewRequest { character_id: id }).await?;
    Ok(Json(Done::saying("Your review is gone.")))
}
