//! One's chats as things to keep in order: begun, named, put away, found again.

use axum::{Json, extract::State as Shared};
use proto::chat::v1::{
    DeleteChatRequest, Hit, RestoreChatRequest, SearchMessagesRequest, StartChatRequest, UpdateChatRequest,
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};

use super::{
    Said,
    chats::{ChatPartner, ChatSummary, Message, Partners, SenderType, sender_type},
    or_null, when,
};
use crate::{
    State,
    errors::{Answer, Problem},
    extract::{JsonBody, QueryArgs, Segment},
};

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StartBody {
    character_id: String,
    /// Which greeting is shown: 0 is the first message, then the alternate ones.
    #[serde(default)]
    greeting: u32,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatStarted {
    success: bool,
    chat_id: String,
    messages: Vec<Message>,
}

/// Another chat with a character, beside those that are there.
#[utoipa::path(post, path = "/chats", tag = "chats", params(("Idempotency-Key" = Option<String>, Header)), request_body = StartBody, responses((status = 200, body = ChatStarted)))]
pub async fn start(
    Shared(app): Shared<State>,
    JsonBody(body): JsonBody<StartBody>,
) -> Answer<Json<ChatStarted>> {
    let request = StartChatRequest { character_id: body.character_id, greeting: body.greeting };
    let started = app.clients.shelf().start_chat(request).await?.into_inner();
    Ok(Json(ChatStarted {
        success: true,
        chat_id: started.chat_id,
        messages: started.messages.into_iter().map(Into::into).collect(),
    }))
}

/// What is absent stays.
#[derive(Deserialize, ToSchema)]
pub struct ChatBody {
    /// Empty: it goes by the character's name again.
    #[schema(max_length = 100)]
    title: Option<String>,
    /// Stands before the others.
    pinned: Option<bool>,
    /// Put away.
    archived: Option<bool>,
}

#[derive(Serialize, ToSchema)]
pub struct ChatKept {
    success: bool,
    chat: ChatSummary,
}

async fn kept(app: &State, chat: Option<proto::chat::v1::ChatSummary>) -> Answer<Json<ChatKept>> {
    let chat = chat.ok_or_else(|| Problem::of("chat_not_found"))?;
    let partners = Partners::of(app, std::iter::once(&chat.character_id)).await;
    Ok(Json(ChatKept { success: true, chat: ChatSummary::new(chat, &partners) }))
}

/// Names a chat, pins it, puts it away.
#[utoipa::path(put, path = "/chats/{id}", tag = "chats", params(("id" = String, Path, description = "Id of the chat.")), request_body = ChatBody, responses((status = 200, body = ChatKept)))]
pub async fn update(
    Shared(app): Shared<State>,
    Segment(chat_id): Segment<String>,
    JsonBody(body): JsonBody<ChatBody>,
) -> Answer<Json<ChatKept>> {
    let request =
        UpdateChatRequest { chat_id, title: body.title, pinned: body.pinned, archived: body.archived };
    let chat = app.clients.shelf().update_chat(request).await?.into_inner().chat;
    kept(&app, chat).await
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatDeleted {
    success: bool,
    #[serde(flatten)]
    said: Said,
    /// Until then `restore` brings it back.
    #[serde(with = "time::serde::rfc3339")]
    undo_until: OffsetDateTime,
}

/// Takes a chat away; a reply that is being written is stopped.
#[utoipa::path(delete, path = "/chats/{id}", tag = "chats", params(("id" = String, Path, description = "Id of the chat.")), responses((status = 200, body = ChatDeleted)))]
pub async fn delete(
    Shared(app): Shared<State>,
    Segment(chat_id): Segment<String>,
) -> Answer<Json<ChatDeleted>> {
    let gone = app.clients.shelf().delete_chat(DeleteChatRequest { chat_id }).await?.into_inner();
    Ok(Json(ChatDeleted {
        success: true,
        said: Said::new("Chat deleted."),
        undo_until: when(gone.undo_until.as_ref()),
    }))
}

/// Brings a deleted chat back, within a day.
#[utoipa::path(post, path = "/chats/{id}/restore", tag = "chats", params(("id" = String, Path, description = "Id of the chat.")), responses((status = 200, body = ChatKept)))]
pub async fn restore(
    Shared(app): Shared<State>,
    Segment(chat_id): Segment<String>,
) -> Answer<Json<ChatKept>> {
    let chat = app.clients.shelf().restore_chat(RestoreChatRequest { chat_id }).await?.into_inner().chat;
    kept(&app, chat).await
}

/// What is looked for.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SearchArgs {
    /// Words; each may be the beginning of one.
    #[serde(default)]
    #[param(max_length = 200)]
    q: String,
    /// From 1.
    #[param(minimum = 1, maximum = 50)]
    page: Option<u32>,
}

/// Where a word was found, in UTF-16 code units of the snippet (as JavaScript counts), the end excluded.
#[derive(Serialize, ToSchema)]
pub struct Mark {
    start: u32,
    end: u32,
}

/// A message that was found.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageHit {
    chat_id: String,
    message_id: String,
    character: ChatPartner,
    /// Null: the chat goes by the character's name.
    #[schema(required)]
    title: Option<String>,
    sender_type: SenderType,
    snippet: String,
    marks: Vec<Mark>,
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
}

impl MessageHit {
    fn new(hit: Hit, partners: &Partners) -> Self {
        Self {
            sender_type: sender_type(hit.sender()),
            created_at: when(hit.created_at.as_ref()),
            chat_id: hit.chat_id,
            message_id: hit.message_id,
            character: partners.find(hit.character_id, hit.character_name),
            title: or_null(hit.title),
            snippet: hit.snippet,
            marks: hit.marks.into_iter().map(|m| Mark { start: m.start, end: m.end }).collect(),
        }
    }
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageHits {
    success: bool,
    /// Newest first, 20 a page.
    hits: Vec<MessageHit>,
    has_more: bool,
}

/// Finds words in one's own chats.
#[utoipa::path(get, path = "/chats/search", tag = "chats", params(SearchArgs), responses((status = 200, body = MessageHits)))]
pub async fn search(
    Shared(app): Shared<State>,
    QueryArgs(args): QueryArgs<SearchArgs>,
) -> Answer<Json<MessageHits>> {
    let page = args.page.unwrap_or(1);
    if !(1..=50).contains(&page) {
        return Err(Problem::field("page", "Between 1 and 50."));
    }
    let request = SearchMessagesRequest { query: args.q, page };
    let found = app.clients.shelf().search_messages(request).await?.into_inner();
    let partners = Partners::of(&app, found.hits.iter().map(|hit| &hit.character_id)).await;
    Ok(Json(MessageHits {
        success: true,
        hits: found.hits.into_iter().map(|hit| MessageHit::new(hit, &partners)).collect(),
        has_more: found.has_more,
    }))
}
