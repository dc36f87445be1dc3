//! What has happened to the reader.

use axum::{Json, extract::State as Shared};
use proto::auth::v1::{self as pb, ListNotificationsRequest, MarkReadRequest};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::{PageArgs, when};
use crate::{
    State,
    errors::Answer,
    extract::{JsonBody, QueryArgs},
};

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Notification {
    #[serde(rename = "_id")]
    id: String,
    /// `follower`, `review`, `image_ready`, `image_failed`, `subscription`, `decision` …
    kind: String,
    /// A sentence for people.
    text: String,
    /// Where it leads, a path of the web app; may be empty.
    link: String,
    read: bool,
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
}

impl From<pb::Notification> for Notification {
    fn from(n: pb::Notification) -> Self {
        let created_at = when(n.created_at.as_ref());
        Self { id: n.id, kind: n.kind, text: n.text, link: n.link, read: n.read, created_at }
    }
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotificationList {
    success: bool,
    notifications: Vec<Notification>,
    unread: u32,
    has_more: bool,
}

/// The newest first.
#[utoipa::path(get, path = "/notifications", tag = "people", params(PageArgs), responses((status = 200, body = NotificationList)))]
pub async fn list(
    Shared(app): Shared<State>,
    QueryArgs(args): QueryArgs<PageArgs>,
) -> Answer<Json<NotificationList>> {
    let request = ListNotificationsRequest { page: args.page()? };
    let found = app.clients.notifications().list_notifications(request).await?.into_inner();
    Ok(Json(NotificationList {
        success: true,
        notifications: found.notifications.into_iter().map(Into::into).collect(),
        unread: found.unread,
        has_more: found.page.is_some_and(|p| p.has_more),
    }))
}

#[derive(Deserialize, ToSchema)]
pub struct ReadBody {
    /// All of them when absent or empty.
    #[serde(default)]
    #[schema(max_items = 100)]
    ids: Vec<String>,
}

#[derive(Serialize, ToSchema)]
pub struct Unread {
    success: bool,
    unread: u32,
}

/// Marks notifications as read.
#[utoipa::path(post, path = "/notifications/read", tag = "people", request_body = ReadBody, responses((status = 200, body = Unread)))]
pub async fn read(Shared(app): Shared<State>, JsonBody(body): JsonBody<ReadBody>) -> Answer<Json<Unread>> {
    let unread =
        app.clients.notifications().mark_read(MarkReadRequest { ids: body.ids }).await?.into_inner().unread;
    Ok(Json(Unread { success: true, unread }))
}
