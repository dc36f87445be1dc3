//! Reviews of characters.

use axum::{Json, extract::State as Shared};
use proto::catalog::v1::{self as pb, PutReviewRequest};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::when;
use crate::{
    State,
    errors::{Answer, Problem},
    extract::{JsonBody, Segment},
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
    comment: String,
    /// 1 to 5; 5 when absent.
    rating: Option<u32>,
}

#[derive(Serialize, ToSchema)]
pub struct Reviewed {
    success: bool,
    review: Review,
}

/// Reviews a character; a second review replaces the first.
#[utoipa::path(post, path = "/character/{id}/review", tag = "characters", params(("id" = String, Path)), request_body = ReviewBody, responses((status = 200, body = Reviewed)))]
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
