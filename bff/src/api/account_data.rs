//! All that is stored about a user in one file, and the end of an account.

use axum::{
    Json,
    extract::State as Shared,
    http::{HeaderValue, header},
    response::{IntoResponse as _, Response},
};
use proto::{
    auth::v1::{
        CancelDeletionRequest, ExportAccountDataRequest as ExportAuth, Legacy, ScheduleDeletionRequest,
    },
    billing::v1::ExportAccountDataRequest as ExportBilling,
    catalog::v1::ExportAccountDataRequest as ExportCatalog,
    chat::v1::ExportAccountDataRequest as ExportChat,
    media::v1::ExportAccountDataRequest as ExportMedia,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::{Done, Said, when};
use crate::{
    State,
    errors::{Answer, Problem},
    extract::JsonBody,
};

/// Everything, by the service that stores it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AccountExport {
    #[serde(with = "time::serde::rfc3339")]
    exported_at: OffsetDateTime,
    /// Profile, devices, personas, follows, notifications.
    #[schema(value_type = Object)]
    account: Box<RawValue>,
    /// Characters, reactions, follows, reviews, block lists, reports.
    #[schema(value_type = Object)]
    catalog: Box<RawValue>,
    /// Chats with all their messages, usage.
    #[schema(value_type = Object)]
    chat: Box<RawValue>,
    /// Pictures and their jobs.
    #[schema(value_type = Object)]
    media: Box<RawValue>,
    /// Subscription, receipts, coins.
    #[schema(value_type = Object)]
    billing: Box<RawValue>,
}

fn raw(json: String) -> Answer<Box<RawValue>> {
    RawValue::from_string(json).map_err(|error| {
        tracing::error!(%error, "a service exported what is not JSON");
        Problem::of("internal")
    })
}

/// All that is stored about the caller, whole or not at all.
#[utoipa::path(get, path = "/account/export", tag = "security", responses((status = 200, body = AccountExport)))]
pub async fn export(Shared(app): Shared<State>) -> Answer<Response> {
    let clients = &app.clients;
    let (mut auth, mut catalog, mut chat) =
        (clients.account_data(), clients.catalog_data(), clients.chat_data());
    let (mut media, mut billing) = (clients.media_data(), clients.billing_data());
    let (account, catalog, chat, media, billing) = tokio::try_join!(
        auth.export_account_data(ExportAuth {}),
        catalog.export_account_data(ExportCatalog {}),
        chat.export_account_data(ExportChat {}),
        media.export_account_data(ExportMedia {}),
        billing.export_account_data(ExportBilling {}),
    )?;
    let export = AccountExport {
        exported_at: OffsetDateTime::now_utc(),
        account: raw(account.into_inner().json)?,
        catalog: raw(catalog.into_inner().json)?,
        chat: raw(chat.into_inner().json)?,
        media: raw(media.into_inner().json)?,
        billing: raw(billing.into_inner().json)?,
    };
    let mut response = Json(export).into_response();
    let as_file = HeaderValue::from_static("attachment; filename=\"account.json\"");
    response.headers_mut().insert(header::CONTENT_DISPOSITION, as_file);
    Ok(response)
}

/// What becomes of the characters of somebody who leaves.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum LegacyChoice {
    Remove,
    /// They stay, handed to an anonymous owner.
    Anonymise,
}

#[derive(Deserialize, ToSchema)]
pub struct DeletionBody {
    #[serde(default)]
    #[schema(max_length = 128)]
    password: String,
    characters: LegacyChoice,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeletionScheduled {
    success: bool,
    #[serde(flatten)]
    said: Said,
    /// Until then one can change one's mind.
    #[serde(with = "time::serde::rfc3339")]
    erased_at: OffsetDateTime,
}

/// Marks the account for deletion, 30 days from now.
#[utoipa::path(post, path = "/account/deletion", tag = "security", request_body = DeletionBody, responses((status = 200, body = DeletionScheduled)))]
pub async fn schedule(
    Shared(app): Shared<State>,
    JsonBody(body): JsonBody<DeletionBody>,
) -> Answer<Json<DeletionScheduled>> {
    let characters = match body.characters {
        LegacyChoice::Remove => Legacy::Remove,
        LegacyChoice::Anonymise => Legacy::Anonymise,
    };
    let request = ScheduleDeletionRequest { password: body.password, characters: characters.into() };
    let scheduled = app.clients.account_data().schedule_deletion(request).await?.into_inner();
    Ok(Json(DeletionScheduled {
        success: true,
        said: Said::new("Your account will be deleted. You can change your mind until then."),
        erased_at: when(scheduled.erased_at.as_ref()),
    }))
}

/// Keeps the account after all.
#[utoipa::path(delete, path = "/account/deletion", tag = "security", responses((status = 200, body = Done)))]
pub async fn cancel(Shared(app): Shared<State>) -> Answer<Json<Done>> {
    app.clients.account_data().cancel_deletion(CancelDeletionRequest {}).await?;
    Ok(Json(Done::saying("Your account stays.")))
}
