//! Who follows whom.

use axum::{Json, extract::State as Shared};
use proto::auth::v1::{ListFollowersRequest, ListFollowingRequest};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{page_of, users::FollowerItem};
use crate::{
    State,
    errors::Answer,
    extract::{QueryArgs, Segment},
};

/// Rows of a page of people when the caller does not say (specification, section 9).
const DEFAULT_LIMIT: u32 = 10;

/// Which page of people.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PeopleArgs {
    /// From 1.
    #[param(minimum = 1, maximum = 1_000_000)]
    page: Option<u32>,
    /// Rows, 10 when absent.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FollowerPage {
    success: bool,
    followers: Vec<FollowerItem>,
    current_page: u32,
    total_pages: u32,
}

/// People who follow somebody, the newest first.
#[utoipa::path(get, path = "/user/{id}/followers", tag = "people", params(("id" = String, Path), PeopleArgs), responses((status = 200, body = FollowerPage)))]
pub async fn followers(
    Shared(app): Shared<State>,
    Segment(id): Segment<String>,
    QueryArgs(args): QueryArgs<PeopleArgs>,
) -> Answer<Json<FollowerPage>> {
    let page = page_of(args.page, args.limit.or(Some(DEFAULT_LIMIT)))?;
    let found = app.clients.people().list_followers(ListFollowersRequest { user_id: id, page }).await?;
    let found = found.into_inner();
    let page = found.page.unwrap_or_default();
    Ok(Json(FollowerPage {
        success: true,
        followers: found.followers.into_iter().map(Into::into).collect(),
        current_page: page.page,
        total_pages: page.total_pages,
    }))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FollowingPage {
    success: bool,
    following: Vec<FollowerItem>,
    current_page: u32,
    total_pages: u32,
}

/// People whom somebody follows, the newest first.
#[utoipa::path(get, path = "/user/{id}/following", tag = "people", params(("id" = String, Path), PeopleArgs), responses((status = 200, body = FollowingPage)))]
pub async fn following(
    Shared(app): Shared<State>,
    Segment(id): Segment<String>,
    QueryArgs(args): QueryArgs<PeopleArgs>,
) -> Answer<Json<FollowingPage>> {
    let page = page_of(args.page, args.limit.or(Some(DEFAULT_LIMIT)))?;
    let found = app.clients.people().list_following(ListFollowingRequest { user_id: id, page }).await?;
    let found = found.into_inner();
    let page = found.page.unwrap_or_default();
    Ok(Json(FollowingPage {
        success: true,
        following: found.following.into_iter().map(Into::into).collect(),
        current_page: page.page,
        total_pages: page.total_pages,
    }))
}
