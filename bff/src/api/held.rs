//! Characters that a rule holds until a moderator has decided; catalog answers it to the role `admin` alone.

use axum::{Json, extract::State as Shared};
use proto::catalog::v1::{self as pb, DecideHeldRequest, GetHeldRequest, ListHeldRequest};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::{Done, PageArgs, characters::Creator, when};
use crate::{
    State,
    errors::{Answer, Problem},
    extract::{JsonBody, QueryArgs, Segment},
    media::Signatures,
};

/// A text of a character.
#[derive(Debug, Serialize, ToSchema)]
pub struct HeldText {
    /// Field of the form of a character.
    field: String,
    text: String,
}

/// A character that waits for a moderator.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeldCharacter {
    #[serde(rename = "_id")]
    id: String,
    name: String,
    creator: Creator,
    /// Id of the rule that holds it.
    rule: String,
    /// What its owner is told.
    because: String,
    #[serde(with = "time::serde::rfc3339")]
    since: OffsetDateTime,
    /// All that is written in it; in a list as much as fits.
    texts: Vec<HeldText>,
    /// For the decision: what was read. Null where texts were cut; `GET /admin/held/{id}` has them whole.
    #[schema(required)]
    digest: Option<String>,
    #[schema(required)]
    image_url: Option<String>,
    nsfw: bool,
    public: bool,
}

impl HeldCharacter {
    fn new(held: pb::HeldCharacter, signed: &Signatures) -> Self {
        let image_url = signed.image(&pictured(&held));
        Self {
            id: held.id,
            name: held.name,
            creator: held.creator.unwrap_or_default().into(),
            rule: held.rule,
            because: held.because,
            since: when(held.since.as_ref()),
            texts: held.texts.into_iter().map(|t| HeldText { field: t.field, text: t.text }).collect(),
            digest: (!held.digest.is_empty()).then_some(held.digest),
            image_url,
            nsfw: held.nsfw,
            public: held.public,
        }
    }
}

/// Its picture, as cards have theirs signed.
fn pictured(held: &pb::HeldCharacter) -> pb::CharacterCard {
    pb::CharacterCard {
        image_asset: held.image_asset.clone(),
        image_signed: true,
        ..pb::CharacterCard::default()
    }
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeldQueue {
    success: bool,
    characters: Vec<HeldCharacter>,
    total: u64,
    has_more: bool,
}

/// Characters that wait for a moderator, the one that waits longest first.
#[utoipa::path(get, path = "/admin/held", tag = "admin", params(PageArgs), responses((status = 200, body = HeldQueue)))]
pub async fn list(
    Shared(app): Shared<State>,
    QueryArgs(args): QueryArgs<PageArgs>,
) -> Answer<Json<HeldQueue>> {
    let request = ListHeldRequest { page: args.page()? };
    let found = app.clients.held().list_held(request).await?.into_inner();
    let page = found.page.unwrap_or_default();
    let pictures: Vec<pb::CharacterCard> = found.characters.iter().map(pictured).collect();
    let signed = Signatures::of(&app, &pictures).await;
    Ok(Json(HeldQueue {
        success: true,
        characters: found.characters.into_iter().map(|held| HeldCharacter::new(held, &signed)).collect(),
        total: page.total,
        has_more: page.has_more,
    }))
}

#[derive(Serialize, ToSchema)]
pub struct HeldOne {
    success: bool,
    character: HeldCharacter,
}

/// One character that waits, whole.
#[utoipa::path(get, path = "/admin/held/{id}", tag = "admin", params(("id" = String, Path)), responses((status = 200, body = HeldOne)))]
pub async fn show(Shared(app): Shared<State>, Segment(id): Segment<String>) -> Answer<Json<HeldOne>> {
    let held = app.clients.held().get_held(GetHeldRequest { id }).await?.into_inner().character;
    let held = held.ok_or_else(|| Problem::of("not_held"))?;
    let signed = Signatures::of(&app, [&pictured(&held)]).await;
    Ok(Json(HeldOne { success: true, character: HeldCharacter::new(held, &signed) }))
}

/// What becomes of a character that was held.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum HeldDecision {
    Approve,
    Remove,
}

#[derive(Deserialize, ToSchema)]
pub struct HeldDecisionBody {
    decision: HeldDecision,
    /// Statement of reasons, mailed to the owner; needed for a removal.
    #[serde(default)]
    #[schema(max_length = 5000)]
    reasons: String,
    /// Of what was read, as the queue told it. When the character was changed since, nothing is decided (409).
    digest: String,
}

/// Decides about a character that waits.
#[utoipa::path(post, path = "/admin/held/{id}", tag = "admin", params(("id" = String, Path)), request_body = HeldDecisionBody, responses((status = 200, body = Done)))]
pub async fn decide(
    Shared(app): Shared<State>,
    Segment(id): Segment<String>,
    JsonBody(body): JsonBody<HeldDecisionBody>,
) -> Answer<Json<Done>> {
    let (decision, said) = match body.decision {
        HeldDecision::Approve => (pb::HeldDecision::Approve, "The character is approved."),
        HeldDecision::Remove => (pb::HeldDecision::Remove, "The character is removed."),
    };
    let request =
        DecideHeldRequest { id, decision: decision.into(), reasons: body.reasons, digest: body.digest };
    app.clients.held().decide_held(request).await?;
    Ok(Json(Done::saying(said)))
}
