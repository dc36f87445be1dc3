//! Likes, dislikes and follows of characters.

use axum::{Json, extract::State as Shared};
use proto::catalog::v1::{ReactRequest, Reaction, ToggleCharacterFollowRequest};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    State,
    errors::Answer,
    extract::{JsonBody, Segment},
};

#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReactionType {
    Like,
    Dislike,
}

/// What stands; nothing when there is none.
#[must_use]
pub fn standing(reaction: Reaction) -> Option<ReactionType> {
    match reaction {
        Reaction::Like => Some(ReactionType::Like),
        Reaction::Dislike => Some(ReactionType::Dislike),
        Reaction::Unspecified => None,
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReactBody {
    reaction_type: ReactionType,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reacted {
    success: bool,
    likes: u64,
    dislikes: u64,
    #[schema(required)]
    user_reaction: Option<ReactionType>,
}

/// Likes or dislikes; the same again clears it.
#[utoipa::path(post, path = "/character/{id}/react", tag = "characters", params(("id" = String, Path)), request_body = ReactBody, responses((status = 200, body = Reacted)))]
pub async fn react(
    Shared(app): Shared<State>,
    Segment(id): Segment<String>,
    JsonBody(body): JsonBody<ReactBody>,
) -> Answer<Json<Reacted>> {
    let reaction = match body.reaction_type {
        ReactionType::Like => Reaction::Like,
        ReactionType::Dislike => Reaction::Dislike,
    };
    let request = ReactRequest { character_id: id, reaction: reaction.into() };
    let now = app.clients.reactions().react(request).await?.into_inner();
    let user_reaction = standing(now.user_reaction());
    Ok(Json(Reacted { success: true, likes: now.likes, dislikes: now.dislikes, user_reaction }))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CharacterFollowed {
    success: bool,
    is_following: bool,
    follow_count: u64,
}

/// Follows or unfollows a character.
#[utoipa::path(post, path = "/character/{id}/follow", tag = "characters", params(("id" = String, Path)), responses((status = 200, body = CharacterFollowed)))]
pub async fn follow(
    Shared(app): Shared<State>,
    Segment(id): Segment<String>,
) -> Answer<Json<CharacterFollowed>> {
    let request = ToggleCharacterFollowRequest { character_id: id };
    let now = app.clients.reactions().toggle_character_follow(request).await?.into_inner();
    Ok(Json(CharacterFollowed {
        success: true,
        is_following: now.is_following,
        follow_count: now.follow_count,
    }))
}
