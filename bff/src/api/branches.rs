//! The tree of a chat's messages: other replies, edits, branches, what is taken away and brought back.

use axum::{
    Json,
    extract::State as Shared,
    http::HeaderMap,
    response::{IntoResponse as _, Response},
};
use proto::chat::v1::{
    self as pb, DeleteMessageRequest, EditAndReplyRequest, EditAndReplyResponse, EditMessageRequest,
    ForkChatRequest, GenerationEvent, GetTreeRequest, RegenerateRequest, RegenerateResponse,
    RestoreMessageRequest, SetLeafRequest, UndoClearRequest, edit_and_reply_request, regenerate_request,
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};

use super::{
    Said,
    chats::{Message, MessageState, SenderType, sender_type, state},
    or_null,
    turns::{Carries, Given, PersonaChoice, Turn, begin, collect, relay, wants_stream},
    when,
};
use crate::{
    State,
    errors::{Answer, Problem},
    extract::{JsonBody, QueryArgs, Segment, country},
};

impl Carries for RegenerateResponse {
    fn event(self) -> Option<GenerationEvent> {
        self.event
    }
}

impl Carries for EditAndReplyResponse {
    fn event(self) -> Option<GenerationEvent> {
        self.event
    }
}

/// To whom the character speaks.
#[derive(Deserialize, ToSchema)]
pub struct RegenerateBody {
    persona: Option<PersonaChoice>,
}

/// Another reply beside a reply, or a reply to a message of one's own that has none. Streams, and
/// answers, like a message that is sent; at most 20 variants.
#[utoipa::path(post, path = "/chats/{id}/messages/{message}/regenerate", tag = "chats",
    params(("id" = String, Path, description = "Id of the chat."), ("message" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    request_body = RegenerateBody,
    responses((status = 200, content((Turn = "application/json"), (String = "text/event-stream")))))]
pub async fn regenerate(
    Shared(app): Shared<State>,
    Segment((chat_id, message_id)): Segment<(String, String)>,
    headers: HeaderMap,
    JsonBody(body): JsonBody<RegenerateBody>,
) -> Answer<Response> {
    let persona = body.persona.and_then(PersonaChoice::given).map(|persona| match persona {
        Given::Id(id) => regenerate_request::Persona::PersonaId(id),
        Given::Inline(persona) => regenerate_request::Persona::InlinePersona(persona),
    });
    let request = RegenerateRequest { chat_id, message_id, persona, country: country(&app, &headers) };
    let mut client = app.clients.turns();
    let events = begin(async move { client.regenerate(request).await }).await?;
    if wants_stream(&headers) {
        return Ok(relay(&app, events));
    }
    collect(events).await.map(|turn| Json(turn).into_response())
}

#[derive(Deserialize, ToSchema)]
pub struct EditBody {
    /// One's own words: at most 4,000 characters.
    #[schema(max_length = 16000)]
    content: String,
    /// Lets the character reply at once to one's own message.
    #[serde(default)]
    reply: bool,
    /// With `reply`: to whom the character speaks.
    persona: Option<PersonaChoice>,
}

/// The path after a message was edited.
#[derive(Serialize, ToSchema)]
pub struct Edited {
    success: bool,
    /// The new version.
    message: Message,
    messages: Vec<Message>,
}

/// Without `reply`, and with it.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum EditAnswer {
    Edited(Edited),
    Turn(Turn),
}

/// Another version of a message, beside it; the path ends with it. With `reply` the reply streams, and
/// is answered, as that to a message that is sent.
#[utoipa::path(put, path = "/chats/{id}/messages/{message}", tag = "chats",
    params(("id" = String, Path, description = "Id of the chat."), ("message" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    request_body = EditBody,
    responses((status = 200, content((EditAnswer = "application/json"), (String = "text/event-stream")))))]
pub async fn edit(
    Shared(app): Shared<State>,
    Segment((chat_id, message_id)): Segment<(String, String)>,
    headers: HeaderMap,
    JsonBody(body): JsonBody<EditBody>,
) -> Answer<Response> {
    let content = body.content;
    if !body.reply {
        let request = EditMessageRequest { chat_id, message_id, content };
        let edited = app.clients.tree().edit_message(request).await?.into_inner();
        let message = edited.message.ok_or_else(|| Problem::of("internal"))?.into();
        let edited = Edited { success: true, message, messages: path(edited.messages) };
        return Ok(Json(EditAnswer::Edited(edited)).into_response());
    }
    let persona = body.persona.and_then(PersonaChoice::given).map(|persona| match persona {
        Given::Id(id) => edit_and_reply_request::Persona::PersonaId(id),
        Given::Inline(persona) => edit_and_reply_request::Persona::InlinePersona(persona),
    });
    let country = country(&app, &headers);
    let request = EditAndReplyRequest { chat_id, message_id, content, persona, country };
    let mut client = app.clients.turns();
    let events = begin(async move { client.edit_and_reply(request).await }).await?;
    if wants_stream(&headers) {
        return Ok(relay(&app, events));
    }
    collect(events).await.map(|turn| Json(EditAnswer::Turn(turn)).into_response())
}

fn path(messages: Vec<pb::Message>) -> Vec<Message> {
    messages.into_iter().map(Into::into).collect()
}

/// The path from the greeting to the last message.
#[derive(Serialize, ToSchema)]
pub struct PathShown {
    success: bool,
    messages: Vec<Message>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeafBody {
    message_id: String,
}

/// Shows the branch of a message, to its newest end. A reply that is being written goes on where it is.
#[utoipa::path(put, path = "/chats/{id}/leaf", tag = "chats", params(("id" = String, Path, description = "Id of the chat.")), request_body = LeafBody, responses((status = 200, body = PathShown)))]
pub async fn set_leaf(
    Shared(app): Shared<State>,
    Segment(chat_id): Segment<String>,
    JsonBody(body): JsonBody<LeafBody>,
) -> Answer<Json<PathShown>> {
    let request = SetLeafRequest { chat_id, message_id: body.message_id };
    let shown = app.clients.tree().set_leaf(request).await?.into_inner();
    Ok(Json(PathShown { success: true, messages: path(shown.messages) }))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageDeleted {
    success: bool,
    #[serde(flatten)]
    said: Said,
    /// Messages that went.
    deleted: u32,
    messages: Vec<Message>,
    /// Until then `restore` brings them back.
    #[serde(with = "time::serde::rfc3339")]
    undo_until: OffsetDateTime,
}

/// Takes a message away with all that follows from it; the greeting stays.
#[utoipa::path(delete, path = "/chats/{id}/messages/{message}", tag = "chats", params(("id" = String, Path, description = "Id of the chat."), ("message" = String, Path)), responses((status = 200, body = MessageDeleted)))]
pub async fn delete(
    Shared(app): Shared<State>,
    Segment((chat_id, message_id)): Segment<(String, String)>,
) -> Answer<Json<MessageDeleted>> {
    let request = DeleteMessageRequest { chat_id, message_id };
    let gone = app.clients.tree().delete_message(request).await?.into_inner();
    Ok(Json(MessageDeleted {
        success: true,
        said: Said::new("Message deleted."),
        deleted: gone.deleted,
        messages: path(gone.messages),
        undo_until: when(gone.undo_until.as_ref()),
    }))
}

/// Brings back what was deleted with a message, within a day.
#[utoipa::path(post, path = "/chats/{id}/messages/{message}/restore", tag = "chats", params(("id" = String, Path, description = "Id of the chat."), ("message" = String, Path)), responses((status = 200, body = PathShown)))]
pub async fn restore(
    Shared(app): Shared<State>,
    Segment((chat_id, message_id)): Segment<(String, String)>,
) -> Answer<Json<PathShown>> {
    let request = RestoreMessageRequest { chat_id, message_id };
    let shown = app.clients.tree().restore_message(request).await?.into_inner();
    Ok(Json(PathShown { success: true, messages: path(shown.messages) }))
}

/// Brings back what was cleared last, within a day.
#[utoipa::path(post, path = "/chats/{id}/clear/undo", tag = "chats", params(("id" = String, Path, description = "Id of the chat.")), responses((status = 200, body = PathShown)))]
pub async fn undo_clear(
    Shared(app): Shared<State>,
    Segment(chat_id): Segment<String>,
) -> Answer<Json<PathShown>> {
    let shown = app.clients.tree().undo_clear(UndoClearRequest { chat_id }).await?.into_inner();
    Ok(Json(PathShown { success: true, messages: path(shown.messages) }))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForkBody {
    /// The last message that goes along.
    message_id: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Forked {
    success: bool,
    chat_id: String,
    character_id: String,
    title: String,
}

/// A new chat with a copy of everything up to a message.
#[utoipa::path(post, path = "/chats/{id}/fork", tag = "chats", params(("id" = String, Path, description = "Id of the chat."), ("Idempotency-Key" = Option<String>, Header)), request_body = ForkBody, responses((status = 200, body = Forked)))]
pub async fn fork(
    Shared(app): Shared<State>,
    Segment(chat_id): Segment<String>,
    JsonBody(body): JsonBody<ForkBody>,
) -> Answer<Json<Forked>> {
    let request = ForkChatRequest { chat_id, message_id: body.message_id };
    let forked = app.clients.tree().fork_chat(request).await?.into_inner();
    Ok(Json(Forked {
        success: true,
        chat_id: forked.chat_id,
        character_id: forked.character_id,
        title: forked.title,
    }))
}

/// A message on the map of a chat.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MapNode {
    #[serde(rename = "_id")]
    id: String,
    /// Null for a greeting.
    #[schema(required)]
    parent_id: Option<String>,
    sender_type: SenderType,
    /// The beginning of the text.
    preview: String,
    state: MessageState,
    edited: bool,
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    /// Siblings including this one.
    variants: u32,
    /// Messages from the greeting to this one, both included.
    depth: u32,
}

impl From<pb::TreeNode> for MapNode {
    fn from(node: pb::TreeNode) -> Self {
        Self {
            sender_type: sender_type(node.sender()),
            state: state(node.state()),
            created_at: when(node.created_at.as_ref()),
            id: node.id,
            parent_id: or_null(node.parent_id),
            preview: node.preview,
            edited: node.edited,
            variants: node.variants.max(1),
            depth: node.depth,
        }
    }
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatMap {
    success: bool,
    /// Parents before what follows from them.
    nodes: Vec<MapNode>,
    /// Where the path that is shown ends.
    leaf_id: String,
    has_more: bool,
}

/// Where the map goes on.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct MapArgs {
    /// Id of the last node that is there already.
    #[serde(default)]
    after: String,
}

/// All messages of a chat as a map, at most 5,000 at once.
#[utoipa::path(get, path = "/chats/{id}/tree", tag = "chats", params(("id" = String, Path, description = "Id of the chat."), MapArgs), responses((status = 200, body = ChatMap)))]
pub async fn tree(
    Shared(app): Shared<State>,
    Segment(chat_id): Segment<String>,
    QueryArgs(args): QueryArgs<MapArgs>,
) -> Answer<Json<ChatMap>> {
    let request = GetTreeRequest { chat_id, after: args.after };
    let map = app.clients.tree().get_tree(request).await?.into_inner();
    Ok(Json(ChatMap {
        success: true,
        nodes: map.nodes.into_iter().map(Into::into).collect(),
        leaf_id: map.leaf_id,
        has_more: map.has_more,
    }))
}
