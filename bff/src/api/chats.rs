//! Chats and the replies that stream into them.

use std::time::Duration;

use axum::{
    Json,
    extract::State as Shared,
    http::{HeaderMap, header},
    response::{IntoResponse as _, Response, sse::Event},
};
use futures::{Stream, StreamExt as _, future, stream};
use proto::{
    catalog::v1::GetCardsRequest,
    chat::v1::{
        self as pb, ClearChatRequest, GenerationEvent, ListChatsRequest, MessageState as PbState,
        OpenChatRequest, SendRequest, SendResponse, Sender, StopRequest, WatchRequest, WatchResponse,
        generation_event::Event as Happened, send_request,
    },
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use tonic::{Status, Streaming};
use utoipa::{IntoParams, ToSchema};

use super::{characters::CharacterCard, or_null, when};
use crate::{
    State,
    errors::{Answer, Problem},
    extract::{JsonBody, QueryArgs, Segment},
    media::Signatures,
    sse,
};

/// A reply that has not begun by then is given up.
const FIRST_MESSAGE: Duration = Duration::from_secs(15);

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
}

impl From<pb::Message> for Message {
    fn from(message: pb::Message) -> Self {
        let state = match message.state() {
            PbState::Unspecified | PbState::Complete => MessageState::Complete,
            PbState::Streaming => MessageState::Streaming,
            PbState::Stopped => MessageState::Stopped,
            PbState::Interrupted => MessageState::Interrupted,
            PbState::Failed => MessageState::Failed,
            PbState::Refused => MessageState::Refused,
            PbState::Pending => MessageState::Pending,
        };
        let sender_type = match message.sender() {
            Sender::User => SenderType::User,
            Sender::Character | Sender::Unspecified => SenderType::Character,
        };
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
}

/// One's chats, the latest first.
#[utoipa::path(get, path = "/chats", tag = "chats", responses((status = 200, body = Vec<ChatSummary>)))]
pub async fn list(Shared(app): Shared<State>) -> Answer<Json<Vec<ChatSummary>>> {
    let chats = app.clients.chats().list_chats(ListChatsRequest {}).await?.into_inner().chats;
    let mut ids: Vec<String> = chats.iter().map(|chat| chat.character_id.clone()).collect();
    ids.sort_unstable();
    ids.dedup();
    // Without catalog the list still stands, under the names as they were.
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
    let signed = Signatures::of(&app, &cards).await;
    let summaries = chats.into_iter().map(|chat| {
        let card = cards.iter().find(|card| card.id == chat.character_id);
        ChatSummary {
            created_at: when(chat.created_at.as_ref()),
            last_message_at: when(chat.last_message_at.as_ref()),
            id: chat.id,
            character: ChatPartner {
                image_url: card.and_then(|card| signed.image(card)),
                name: card.map_or(chat.character_name, |card| card.name.clone()),
                id: chat.character_id,
            },
            last_message: or_null(chat.last_message).map(|content| LastMessage { content }),
            message_count: chat.message_count,
        }
    });
    Ok(Json(summaries.collect()))
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
    messages: Vec<Message>,
    character: ChatCharacter,
    #[schema(required)]
    running: Option<Running>,
    usage: ChatUsage,
    engine: ChatEngine,
}

/// Which chat with the character.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct OpenArgs {
    /// Id of a chat; the most recent one when absent.
    chat: Option<String>,
}

/// Opens the chat with a character, from the greeting to the last message.
#[utoipa::path(get, path = "/chats/{id}/messages", tag = "chats", params(("id" = String, Path, description = "Id of the character."), OpenArgs), responses((status = 200, body = ChatPage)))]
pub async fn open(
    Shared(app): Shared<State>,
    Segment(character_id): Segment<String>,
    QueryArgs(args): QueryArgs<OpenArgs>,
) -> Answer<Json<ChatPage>> {
    let request = OpenChatRequest { character_id, chat_id: args.chat.filter(|id| !id.is_empty()) };
    let chat = app.clients.chats().open_chat(request).await?.into_inner();
    let card = chat.character.ok_or_else(|| Problem::of("character_not_found"))?;
    let signed = Signatures::of(&app, [&card]).await;
    let usage = chat.usage.unwrap_or_default();
    Ok(Json(ChatPage {
        success: true,
        chat_id: chat.chat_id,
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
    }))
}

/// A persona given whole.
#[derive(Deserialize, ToSchema)]
pub struct InlinePersona {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    gender: String,
}

/// A persona by its id, or whole.
#[derive(Deserialize, ToSchema)]
#[serde(untagged)]
pub enum PersonaChoice {
    Id(String),
    Inline(InlinePersona),
}

/// Words, or `isContinue`.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SendBody {
    content: Option<String>,
    persona: Option<PersonaChoice>,
    /// The character goes on.
    #[serde(default)]
    is_continue: bool,
    /// Accepted and ignored.
    #[serde(default)]
    #[expect(dead_code, reason = "part of the contract")]
    description: Option<serde_json::Value>,
}

impl SendBody {
    fn into_request(self, chat_id: String) -> Answer<SendRequest> {
        let turn = if self.is_continue {
            send_request::Turn::Continue(true)
        } else {
            let content = self.content.unwrap_or_default().trim().to_owned();
            if content.is_empty() {
                return Err(Problem::field("content", "Write a message first."));
            }
            send_request::Turn::Content(content)
        };
        let persona = self.persona.and_then(|persona| match persona {
            PersonaChoice::Id(id) if id.is_empty() => None,
            PersonaChoice::Id(id) => Some(send_request::Persona::PersonaId(id)),
            PersonaChoice::Inline(p) => Some(send_request::Persona::InlinePersona(pb::InlinePersona {
                name: p.name,
                description: p.description,
                gender: p.gender,
            })),
        });
        Ok(SendRequest { chat_id, turn: Some(turn), persona })
    }
}

/// The whole turn, for clients that do not stream.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Turn {
    success: bool,
    /// Null when the character went on.
    #[schema(required)]
    user_message: Option<Message>,
    ai_message: Message,
}

/// Data of the event `start`.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StartData {
    generation_id: String,
    #[schema(required)]
    user_message: Option<Message>,
    #[schema(required)]
    ai_message: Option<Message>,
}

/// Data of the event `delta`.
#[derive(Serialize, ToSchema)]
pub struct DeltaData {
    text: String,
}

/// Data of the event `done`.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DoneData {
    #[schema(required)]
    ai_message: Option<Message>,
}

/// Data of the event `error`; what was written stays in the message.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailedData {
    code: String,
    msg: String,
    #[schema(required)]
    ai_message: Option<Message>,
}

/// Both streams carry the same events.
trait Carries {
    fn event(self) -> Option<GenerationEvent>;
}

impl Carries for SendResponse {
    fn event(self) -> Option<GenerationEvent> {
        self.event
    }
}

impl Carries for WatchResponse {
    fn event(self) -> Option<GenerationEvent> {
        self.event
    }
}

/// Waits for the first event, so that a refusal is still an HTTP status, then hands on all of them.
async fn begin<T: Carries + Send + 'static>(
    call: impl Future<Output = Result<tonic::Response<Streaming<T>>, Status>>,
) -> Answer<impl Stream<Item = Result<GenerationEvent, Status>> + Send + 'static> {
    let first = async {
        let mut events = call.await?.into_inner();
        let first = events.message().await?;
        Ok::<_, Status>((first, events))
    };
    let (first, rest) =
        tokio::time::timeout(FIRST_MESSAGE, first).await.map_err(|_| Problem::of("engine_timeout"))??;
    Ok(stream::iter(first.map(Ok)).chain(rest).filter_map(|message| {
        future::ready(match message {
            Ok(message) => message.event().map(Ok),
            Err(status) => Some(Err(status)),
        })
    }))
}

/// An event of the reply as the browser reads it; its id is where a reader who left comes back.
fn event(happened: GenerationEvent) -> Event {
    fn written(name: &str, data: &impl Serialize) -> Event {
        Event::default().event(name).data(serde_json::to_string(data).expect("plain data"))
    }
    let id = format!("{}:{}", happened.generation_id, happened.offset);
    let event = match happened.event {
        Some(Happened::Started(started)) => written(
            "start",
            &StartData {
                generation_id: happened.generation_id,
                user_message: started.user_message.map(Into::into),
                ai_message: started.ai_message.map(Into::into),
            },
        ),
        Some(Happened::Delta(delta)) => written("delta", &DeltaData { text: delta.text }),
        Some(Happened::Done(done)) => {
            written("done", &DoneData { ai_message: done.ai_message.map(Into::into) })
        }
        Some(Happened::Failed(failed)) => {
            let msg = Problem::of(&failed.reason).msg();
            let ai_message = failed.ai_message.map(Into::into);
            written("error", &FailedData { code: failed.reason, msg, ai_message })
        }
        None => Event::default().comment("nothing"),
    };
    event.id(id)
}

/// Ends with `done` or `error`, whatever happens upstream.
fn relay(
    app: &State,
    events: impl Stream<Item = Result<GenerationEvent, Status>> + Send + 'static,
) -> Response {
    let events = events.map(Some).chain(stream::once(future::ready(None)));
    let events = events.scan(false, |ended, next| {
        let next = match next {
            _ if *ended => None,
            Some(Ok(happened)) => {
                *ended = matches!(happened.event, Some(Happened::Done(_) | Happened::Failed(_)));
                Some(event(happened))
            }
            Some(Err(status)) => {
                *ended = true;
                Some(broken(&status.into()))
            }
            None => {
                *ended = true;
                Some(broken(&Problem::of("unavailable")))
            }
        };
        future::ready(next)
    });
    sse::answer(events, &app.shutdown)
}

/// The connection to `chat` broke; the reply itself may go on, and can be resumed. Without an id, so
/// that the reader's last one stays.
fn broken(problem: &Problem) -> Event {
    let data = FailedData { code: problem.code().to_owned(), msg: problem.msg(), ai_message: None };
    Event::default().event("error").data(serde_json::to_string(&data).expect("plain data"))
}

fn wants_stream(headers: &HeaderMap) -> bool {
    headers.get_all(header::ACCEPT).iter().any(|v| v.to_str().is_ok_and(|v| v.contains("text/event-stream")))
}

/// Sends a message, or lets the character go on. With `Accept: text/event-stream` the reply streams
/// as the events `start`, `delta`, `done` and `error`, each with the id `<generation>:<offset>`.
#[utoipa::path(post, path = "/chats/{id}/messages", tag = "chats",
    params(("id" = String, Path, description = "Id of the chat."), ("Idempotency-Key" = Option<String>, Header)),
    request_body = SendBody,
    responses((status = 200, content((Turn = "application/json"), (StartData = "text/event-stream")))))]
pub async fn send(
    Shared(app): Shared<State>,
    Segment(chat_id): Segment<String>,
    headers: HeaderMap,
    JsonBody(body): JsonBody<SendBody>,
) -> Answer<Response> {
    let request = body.into_request(chat_id)?;
    let mut client = app.clients.generations();
    let events = begin(async move { client.send(request).await }).await?;
    if wants_stream(&headers) {
        return Ok(relay(&app, events));
    }
    collect(events).await.map(|turn| Json(turn).into_response())
}

/// Waits for the end of the reply.
async fn collect(events: impl Stream<Item = Result<GenerationEvent, Status>>) -> Answer<Turn> {
    let mut events = std::pin::pin!(events);
    let mut user_message = None;
    while let Some(happened) = events.next().await {
        match happened?.event {
            Some(Happened::Started(started)) => user_message = started.user_message.map(Into::into),
            Some(Happened::Done(done)) => {
                let ai_message = done.ai_message.ok_or_else(|| Problem::of("internal"))?.into();
                return Ok(Turn { success: true, user_message, ai_message });
            }
            Some(Happened::Failed(failed)) => return Err(Problem::of(&failed.reason)),
            Some(Happened::Delta(_)) | None => {}
        }
    }
    Err(Problem::of("unavailable"))
}

/// Comes back to a reply: the text after `Last-Event-ID`, then what is still written.
#[utoipa::path(get, path = "/chats/{id}/generations/{generation}", tag = "chats",
    params(("id" = String, Path, description = "Id of the chat."), ("generation" = String, Path), ("Last-Event-ID" = Option<String>, Header)),
    responses((status = 200, body = StartData, content_type = "text/event-stream")))]
pub async fn watch(
    Shared(app): Shared<State>,
    Segment((chat_id, generation_id)): Segment<(String, String)>,
    headers: HeaderMap,
) -> Answer<Response> {
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let from_offset = match last.rsplit_once(':') {
        Some((generation, offset)) if generation == generation_id => offset.parse().unwrap_or(0),
        _ => 0,
    };
    let mut client = app.clients.generations();
    let request = WatchRequest { chat_id, generation_id, from_offset };
    let events = begin(async move { client.watch(request).await }).await?;
    Ok(relay(&app, events))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Stopped {
    success: bool,
    ai_message: Message,
}

/// Ends a reply and keeps what was written.
#[utoipa::path(delete, path = "/chats/{id}/generations/{generation}", tag = "chats", params(("id" = String, Path, description = "Id of the chat."), ("generation" = String, Path)), responses((status = 200, body = Stopped)))]
pub async fn stop(
    Shared(app): Shared<State>,
    Segment((chat_id, generation_id)): Segment<(String, String)>,
) -> Answer<Json<Stopped>> {
    let stopped = app.clients.generations().stop(StopRequest { chat_id, generation_id }).await?.into_inner();
    let ai_message = stopped.ai_message.ok_or_else(|| Problem::of("generation_not_found"))?.into();
    Ok(Json(Stopped { success: true, ai_message }))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cleared {
    success: bool,
    first_message: Message,
    messages: Vec<Message>,
}

/// Back to the greeting.
#[utoipa::path(post, path = "/chats/{id}/clear", tag = "chats", params(("id" = String, Path, description = "Id of the chat.")), responses((status = 200, body = Cleared)))]
pub async fn clear(Shared(app): Shared<State>, Segment(chat_id): Segment<String>) -> Answer<Json<Cleared>> {
    let cleared = app.clients.chats().clear_chat(ClearChatRequest { chat_id }).await?.into_inner();
    let first: Message = cleared.first_message.ok_or_else(|| Problem::of("chat_not_found"))?.into();
    Ok(Json(Cleared { success: true, messages: vec![first.clone()], first_message: first }))
}
