//! Creators by their figures.

use axum::{Json, extract::State as Shared};
use proto::catalog::v1::{self as pb, ListTopCreatorsRequest, Ranking};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::characters::Creator;
use crate::{State, errors::Answer, extract::QueryArgs};

#[derive(Debug, Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RankedBy {
    /// Messages per chat.
    #[default]
    Engaging,
    /// Activity of the last days.
    Trending,
    Followers,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TopArgs {
    /// `engaging` when absent.
    #[param(inline)]
    by: Option<RankedBy>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TopCreator {
    creator: Creator,
    /// From 1.
    rank: u32,
    followers: u64,
    characters: u64,
    chats: u64,
    messages: u64,
    likes: u64,
    /// The creator badge of the paid plans.
    badge: bool,
}

impl From<pb::RankedCreator> for TopCreator {
    fn from(row: pb::RankedCreator) -> Self {
        Self {
            creator: row.creator.unwrap_or_default().into(),
            rank: row.rank,
            followers: row.followers,
            characters: row.characters,
            chats: row.chats,
            messages: row.messages,
            likes: row.likes,
            badge: row.badge,
        }
    }
}

#[derive(Serialize, ToSchema)]
pub struct TopCreators {
    success: bool,
    /// At most 24.
    creators: Vec<TopCreator>,
}

/// The best 24 creators.
#[utoipa::path(get, path = "/creators/top", tag = "lists", params(TopArgs), responses((status = 200, body = TopCreators)))]
pub async fn top(
    Shared(app): Shared<State>,
    QueryArgs(args): QueryArgs<TopArgs>,
) -> Answer<Json<TopCreators>> {
    let by = match args.by.unwrap_or_default() {
        RankedBy::Engaging => Ranking::MostEngaging,
        RankedBy::Trending => Ranking::Trending,
        RankedBy::Followers => Ranking::MostFollowers,
    };
    let found = app.clients.creators().list_top_creators(ListTopCreatorsRequest { by: by.into() }).await?;
    let creators = found.into_inner().creators.into_iter().map(Into::into).collect();
    Ok(Json(TopCreators { success: true, creators }))
}
