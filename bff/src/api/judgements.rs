//! Pictures that wait for a moderator; media answers it to the role `admin` alone.

use std::collections::{BTreeSet, HashMap};

use axum::{Json, extract::State as Shared};
use proto::{
    auth::v1::GetPeopleRequest,
    media::v1::{self as pb, JudgeAssetRequest, ListWaitingRequest},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::{Done, PageArgs, or_null, when};
use crate::{
    State,
    errors::Answer,
    extract::{JsonBody, QueryArgs, Segment},
    media::{Size, address},
};

/// A picture that waits.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitingImage {
    asset: String,
    #[schema(required)]
    image_url: Option<String>,
    /// Null when its owner is gone.
    #[schema(required)]
    owner_id: Option<String>,
    /// Null as well while auth cannot be asked.
    #[schema(required)]
    owner_name: Option<String>,
    /// `upload` or `drawn`.
    origin: String,
    #[serde(with = "time::serde::rfc3339")]
    since: OffsetDateTime,
    /// Pixels.
    width: u32,
    height: u32,
}

impl WaitingImage {
    fn new(waiting: pb::WaitingAsset, names: &HashMap<String, String>) -> Self {
        Self {
            owner_name: names.get(&waiting.owner_id).cloned(),
            image_url: address(&waiting.asset, Size::Full, &waiting.signature),
            since: when(waiting.since.as_ref()),
            asset: waiting.asset,
            owner_id: or_null(waiting.owner_id),
            origin: waiting.origin,
            width: waiting.width,
            height: waiting.height,
        }
    }
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitingImages {
    success: bool,
    images: Vec<WaitingImage>,
    total: u64,
    has_more: bool,
}

/// Pictures that wait for a moderator, the one that waits longest first.
#[utoipa::path(get, path = "/admin/images", tag = "admin", params(PageArgs), responses((status = 200, body = WaitingImages)))]
pub async fn list(
    Shared(app): Shared<State>,
    QueryArgs(args): QueryArgs<PageArgs>,
) -> Answer<Json<WaitingImages>> {
    let request = ListWaitingRequest { page: args.page()? };
    let found = app.clients.judgements().list_waiting(request).await?.into_inner();
    let page = found.page.unwrap_or_default();
    let names = names(&app, found.assets.iter().map(|waiting| &waiting.owner_id)).await;
    Ok(Json(WaitingImages {
        success: true,
        images: found.assets.into_iter().map(|waiting| WaitingImage::new(waiting, &names)).collect(),
        total: page.total,
        has_more: page.has_more,
    }))
}

/// Usernames by id. The queue is worth showing without them.
async fn names<'a>(app: &State, ids: impl Iterator<Item = &'a String>) -> HashMap<String, String> {
    let ids: BTreeSet<String> = ids.filter(|id| !id.is_empty()).cloned().collect();
    if ids.is_empty() {
        return HashMap::new();
    }
    match app.clients.profiles().get_people(GetPeopleRequest { ids: ids.into_iter().collect() }).await {
        Ok(found) => found.into_inner().people.into_iter().map(|p| (p.id, p.username)).collect(),
        Err(status) => {
            tracing::warn!(code = ?status.code(), "owners of pictures are not named");
            HashMap::new()
        }
    }
}

/// What becomes of a picture.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImageDecision {
    Pass,
    Refuse,
}

#[derive(Deserialize, ToSchema)]
pub struct ImageDecisionBody {
    decision: ImageDecision,
    /// Told to the owner; needed for a refusal.
    #[serde(default)]
    #[schema(max_length = 5000)]
    reasons: String,
}

/// Decides about a picture that waits.
#[utoipa::path(post, path = "/admin/images/{asset}", tag = "admin", params(("asset" = String, Path)), request_body = ImageDecisionBody, responses((status = 200, body = Done)))]
pub async fn decide(
    Shared(app): Shared<State>,
    Segment(asset): Segment<String>,
    JsonBody(body): JsonBody<ImageDecisionBody>,
) -> Answer<Json<Done>> {
    let (pass, said) = match body.decision {
        ImageDecision::Pass => (true, "Others can see the picture now."),
        ImageDecision::Refuse => (false, "The picture is taken away."),
    };
    let request = JudgeAssetRequest { asset, pass, reasons: body.reasons };
    app.clients.judgements().judge_asset(request).await?;
    Ok(Json(Done::saying(said)))
}
