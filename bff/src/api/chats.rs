//! Chats: the list, one as it opens, back to its greeting.

use axum::{Json, extract::State as Shared};
use proto::{
    catalog::v1::GetCardsRequest,
    chat::v1::{
        self as pb, ClearChatRequest, ListChatsRequest, MessageState as PbState, OpenChatRequest, Sender,
    },
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};

use super::{LongJson, Said, characters::CharacterCard, or_null, perhaps, when};
use crate::{
    State,
    errors::{Answer, Problem},
    extract::{QueryArgs, Segment},
    limits::CHAT_PAGE,
    media::Signatures,
};

#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SenderType {
    User,
    Character,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MessageState {
    Complete,
    Streaming,
    Stopped,
    Interrupted,
    Failed,
    Refused,
    Pending,
}

/// A message of a chat.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    #[serde(rename = "_id")]
    id: String,
    chat_id: String,
    content: String,
    sender_type: SenderType,
    /// Null for the greeting.
    #[schema(required)]
    parent_id: Option<String>,
    state: MessageState,
    /// Stable code of what went wrong.
    #[schema(required)]
    reason: Option<String>,
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    #[schema(required)]
    generation_id: Option<String>,
    /// Engine that wrote it; `improv` is the one that is built in.
    #[schema(required)]
    engine: Option<String>,
    /// Siblings including this one.
    variants: u32,
    /// Which of them this is, from 1.
    variant: u32,
    /// Written by an edit.
    edited: bool,
    /// Ids of all variants in their order, this one included.
    siblings: Vec<String>,
}

pub(super) fn sender_type(sender: Sender) -> SenderType {
    match sender {
        Sender::User => SenderType::User,
        Sender::Character | Sender::Unspecified => SenderType::Character,
    }
}

pub(super) fn state(state: PbState) -> MessageState {
    match state {
        PbState::Unspecified | PbState::Complete => MessageState::Complete,
        PbState::Streaming => MessageState::Streaming,
        PbState::Stopped => MessageState::Stopped,
        PbState::Interrupted => MessageState::Interrupted,
        PbState::Failed => MessageState::Failed,
        PbState::Refused => MessageState::Refused,
        PbState::Pending => MessageState::Pending,
    }
}

impl From<pb::Message> for Message {
    fn from(message: pb::Message) -> Self {
        let (sender_type, state) = (sender_type(message.sender()), state(message.state()));
        Self {
            created_at: when(message.created_at.as_ref()),
            id: message.id,
            chat_id: message.chat_id,
            content: message.content,
            sender_type,
            parent_id: or_null(message.parent_id),
            state,
            reason: or_null(message.reason),
            generation_id: or_null(message.generation_id),
            engine: or_null(message.engine),
            variants: message.variants.max(1),
            variant: message.variant.max(1),
            edited: message.edited,
            siblings: message.siblings,
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatPartner {
    #[serde(rename = "_id")]
    id: String,
    name: String,
    #[schema(required)]
    image_url: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct LastMessage {
    content: String,
}

/// A chat as the list shows it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatSummary {
    #[serde(rename = "_id")]
    id: String,
    character: ChatPartner,
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    #[schema(required)]
    last_message: Option<LastMessage>,
    #[serde(with = "time::serde::rfc3339")]
    last_message_at: OffsetDateTime,
    message_count: u32,
    /// Null: it goes by the character's name.
    #[schema(required)]
    title: Option<String>,
    pinned: bool,
    archived: bool,
}

impl ChatSummary {
    pub(super) fn new(chat: pb::ChatSummary, partners: &Partners) -> Self {
        Self {
            created_at: when(chat.created_at.as_ref()),
            last_message_at: when(chat.last_message_at.as_ref()),
            id: chat.id,
            character: partners.find(chat.character_id, chat.character_name),
            last_message: or_null(chat.last_message).map(|content| LastMessage { content }),
            message_count: chat.message_count,
            title: or_null(chat.title),
            pinned: chat.pinned,
            archived: chat.archived,
        }
    }
}

/// The characters of some chats as they are now.
pub(super) struct Partners {
    cards: Vec<proto::catalog::v1::CharacterCard>,
    signed: Signatures,
}

impl Partners {
    /// Without catalog a list still stands, under the names as they were.
    pub(super) async fn of(app: &State, ids: impl Iterator<Item = &String>) -> Self {
        let mut ids: Vec<String> = ids.cloned().collect();
        ids.sort_unstable();
        ids.dedup();
        let cards = if ids.is_empty() {
            Vec::new()
        } else {
            match app.clients.characters().get_cards(GetCardsRequest { ids }).await {
                Ok(answer) => answer.into_inner().cards,
                Err(status) => {
                    tracing::warn!(code = ?status.code(), "chats without pictures");
                    Vec::new()
                }
            }
        };
        let signed = Signatures::of(app, &cards).await;
        Self { cards, signed }
    }

    pub(super) fn find(&self, id: String, name: String) -> ChatPartner {
        let card = self.cards.iter().find(|card| card.id == id);
        ChatPartner {
            image_url: card.and_then(|card| self.signed.image(card)),
            name: card.map_or(name, |card| card.name.clone()),
            id,
        }
    }
}

/// Which of one's chats.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListArgs {
    /// Those that are put away instead of the others.
    #[serde(default)]
    archived: bool,
    /// Part of a title or of a character's name.
    #[serde(default)]
    #[param(max_length = 200)]
    q: String,
    /// Id of the character that they are with.
    #[serde(default)]
    #[param(max_length = 36)]
    character: String,
    /// Last chat of the page before.
    #[serde(default)]
    #[param(max_length = 36)]
    after: String,
}

/// One's chats: pinned ones first, then the latest first; 50 of them, fewer where there are no more.
#[utoipa::path(get, path = "/chats", tag = "chats", params(ListArgs), responses((status = 200, body = Vec<ChatSummary>)))]
pub async fn list(
    Shared(app): Shared<State>,
    QueryArgs(args): QueryArgs<ListArgs>,
) -> Answer<Json<Vec<ChatSummary>>> {
    let request = ListChatsRequest {
        archived: args.archived,
        query: args.q,
        after: args.after,
        character_id: args.character,
    };
    let chats = app.clients.chats().list_chats(request).await?.into_inner().chats;
    let partners = Partners::of(&app, chats.iter().map(|chat| &chat.character_id)).await;
    Ok(Json(chats.into_iter().map(|chat| ChatSummary::new(chat, &partners)).collect()))
}

#[derive(Serialize, ToSchema)]
pub struct ChatCharacter {
    #[serde(flatten)]
    card: CharacterCard,
    /// The scene as the reader may see it.
    scenario: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Running {
    generation_id: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatUsage {
    /// Messages of this calendar month (UTC).
    used: u32,
    /// Null on the free plan.
    #[schema(required)]
    limit: Option<u32>,
    /// Messages from the greeting to the last one.
    path_messages: u32,
    /// A free chat stops when the path holds more; null on a paid plan.
    #[schema(required)]
    free_limit: Option<u32>,
}

#[derive(Serialize, ToSchema)]
pub struct ChatEngine {
    name: String,
    /// True for the engine that is built in.
    offline: bool,
}

/// A chat as it opens.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChatPage {
    success: bool,
    chat_id: String,
    /// Null: it goes by the character's name.
    #[schema(required)]
    title: Option<String>,
    messages: Vec<Message>,
    /// There are messages before the first of these: ask with `before`.
    has_earlier: bool,
    /// Until then `clear/undo` brings back what was cleared last.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    clear_undo_until: Option<OffsetDateTime>,
    character: ChatCharacter,
    #[schema(required)]
    running: Option<Running>,
    usage: ChatUsage,
    engine: ChatEngine,
    /// To be shown at first contact: as long as the user has said nothing on the path that is shown, so again once the
    /// chat was cleared; then null.
    #[schema(required)]
    ai_notice: Option<String>,
}

/// Which chat with the character.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct OpenArgs {
    /// Id of a chat; the most recent one when absent.
    chat: Option<String>,
    /// Id of a message of the path: only what comes before it.
    before: Option<String>,
    /// Messages from the end; 100 when absent.
    #[param(minimum = 1, maximum = 2000)]
    limit: Option<u32>,
}

/// Opens the chat with a character: its last messages, and what comes before them by `before`.
#[utoipa::path(get, path = "/chats/{id}/messages", tag = "chats", params(("id" = String, Path, description = "Id of the character."), OpenArgs), responses((status = 200, body = ChatPage)))]
pub async fn open(
    Shared(app): Shared<State>,
    Segment(character_id): Segment<String>,
    QueryArgs(args): QueryArgs<OpenArgs>,
) -> Answer<LongJson<ChatPage>> {
    if args.limit.is_some_and(|limit| !(1..=2_000).contains(&limit)) {
        return Err(Problem::field("limit", "Between 1 and 2000."));
    }
    let given = |id: Option<String>| id.filter(|id| !id.is_empty());
    let request = OpenChatRequest {
        character_id,
        chat_id: given(args.chat),
        before: given(args.before),
        limit: args.limit.unwrap_or(CHAT_PAGE),
    };
    let chat = app.clients.chats().open_chat(request).await?.into_inner();
    let card = chat.character.ok_or_else(|| Problem::of("character_not_found"))?;
    let signed = Signatures::of(&app, [&card]).await;
    let ai_notice = chat.first_contact.then(|| ai_notice(&card.name));
    let usage = chat.usage.unwrap_or_default();
    Ok(LongJson(ChatPage {
        success: true,
        chat_id: chat.chat_id,
        title: or_null(chat.title),
        has_earlier: chat.has_earlier,
        clear_undo_until: perhaps(chat.clear_undo_until.as_ref()),
        messages: chat.messages.into_iter().map(Into::into).collect(),
        character: ChatCharacter { card: CharacterCard::new(card, &signed), scenario: chat.scenario },
        running: or_null(chat.running_generation_id).map(|generation_id| Running { generation_id }),
        usage: ChatUsage {
            used: usage.used,
            limit: usage.limit,
            path_messages: usage.path_messages,
            free_limit: usage.free_limit,
        },
        engine: ChatEngine { name: chat.engine, offline: chat.engine_offline },
        ai_notice,
    }))
}

/// What the law wants said before the first word.
fn ai_notice(name: &str) -> String {
    format!("{name} is an AI character, not a person. Everything {name} says is generated and made up.")
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cleared {
    success: bool,
    #[serde(flatten)]
    said: Said,
    first_message: Message,
    messages: Vec<Message>,
    /// Until then `clear/undo` brings everything back; null when there was nothing to clear.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    undo_until: Option<OffsetDateTime>,
}

/// Back to the greeting; can be undone for a day.
#[utoipa::path(post, path = "/chats/{id}/clear", tag = "chats", params(("id" = String, Path, description = "Id of the chat.")), responses((status = 200, body = Cleared)))]
pub async fn clear(Shared(app): Shared<State>, Segment(chat_id): Segment<String>) -> Answer<Json<Cleared>> {
    let cleared = app.clients.chats().clear_chat(ClearChatRequest { chat_id }).await?.into_inner();
    let first: Message = cleared.first_message.ok_or_else(|| Problem::of("chat_not_found"))?.into();
    Ok(Json(Cleared {
        success: true,
        said: Said::new("Chat cleared successfully"),
        messages: vec![first.clone()],
        first_message: first,
        undo_until: perhaps(cleared.undo_until.as_ref()),
    }))
}
