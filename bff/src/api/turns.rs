//! Turns of a chat: a message goes in, the reply streams out and can be left, resumed and stopped.

use std::time::Duration;

use axum::{
    Json,
    extract::State as Shared,
    http::{HeaderMap, header},
    response::{IntoResponse as _, Response, sse::Event},
};
use futures::{Stream, StreamExt as _, future, stream};
use proto::chat::v1::{
    self as pb, GenerationEvent, SendRequest, SendResponse, StopRequest, WatchRequest, WatchResponse,
    generation_event::Event as Happened, send_request,
};
use serde::{Deserialize, Serialize};
use tonic::{Status, Streaming};
use utoipa::ToSchema;

use super::chats::Message;
use crate::{
    State,
    errors::{Answer, Problem},
    extract::{JsonBody, Segment, country},
    sse,
};

/// A reply that has not begun by then is given up.
const FIRST_MESSAGE: Duration = Duration::from_secs(15);

/// A persona given whole.
#[derive(Deserialize, ToSchema)]
pub struct InlinePersona {
    #[schema(max_length = 60)]
    name: String,
    #[serde(default)]
    #[schema(max_length = 2000)]
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

/// A persona as services are told of it.
pub(super) enum Given {
    Id(String),
    Inline(pb::InlinePersona),
}

impl PersonaChoice {
    /// An empty id is no choice.
    pub(super) fn given(self) -> Option<Given> {
        match self {
            Self::Id(id) if id.is_empty() => None,
            Self::Id(id) => Some(Given::Id(id)),
            Self::Inline(p) => Some(Given::Inline(pb::InlinePersona {
                name: p.name,
                description: p.description,
                gender: p.gender,
            })),
        }
    }
}

/// Words, or `isContinue`.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SendBody {
    #[schema(max_length = 4000)]
    content: Option<String>,
    persona: Option<PersonaChoice>,
    /// The character goes on.
    #[serde(default)]
    is_continue: bool,
    /// Message below which the turn stands, which makes a branch; the active leaf when absent.
    parent_id: Option<String>,
    /// Accepted and ignored.
    #[serde(default)]
    #[expect(dead_code, reason = "part of the contract")]
    description: Option<serde_json::Value>,
}

impl SendBody {
    fn into_request(self, chat_id: String, country: String) -> Answer<SendRequest> {
        let turn = if self.is_continue {
            send_request::Turn::Continue(true)
        } else {
            let content = self.content.unwrap_or_default().trim().to_owned();
            if content.is_empty() {
                return Err(Problem::field("content", "Write a message first."));
            }
            send_request::Turn::Content(content)
        };
        let persona = self.persona.and_then(PersonaChoice::given).map(|persona| match persona {
            Given::Id(id) => send_request::Persona::PersonaId(id),
            Given::Inline(persona) => send_request::Persona::InlinePersona(persona),
        });
        let parent_id = self.parent_id.filter(|id| !id.is_empty());
        Ok(SendRequest { chat_id, turn: Some(turn), persona, country, parent_id })
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
pub(super) trait Carries {
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
pub(super) async fn begin<T: Carries + Send + 'static>(
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
pub(super) fn relay(
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
    sse::finish(events, &app.shutdown, Duration::from_secs(app.config.common.shutdown_grace_s))
}

/// The connection to `chat` broke; the reply itself may go on, and can be resumed. Without an id, so
/// that the reader's last one stays.
fn broken(problem: &Problem) -> Event {
    let data = FailedData { code: problem.code().to_owned(), msg: problem.msg(), ai_message: None };
    Event::default().event("error").data(serde_json::to_string(&data).expect("plain data"))
}

pub(super) fn wants_stream(headers: &HeaderMap) -> bool {
    headers.get_all(header::ACCEPT).iter().any(|v| v.to_str().is_ok_and(|v| v.contains("text/event-stream")))
}

/// Sends a message, or lets the character go on. With `Accept: text/event-stream` the reply streams
/// as the events `start`, `delta`, `done` and `error`, each with the id `<generation>:<offset>`.
#[utoipa::path(post, path = "/chats/{id}/messages", tag = "chats",
    params(("id" = String, Path, description = "Id of the chat."), ("Idempotency-Key" = Option<String>, Header)),
    request_body = SendBody,
    responses((status = 200, content((Turn = "application/json"), (String = "text/event-stream")))))]
pub async fn send(
    Shared(app): Shared<State>,
    Segment(chat_id): Segment<String>,
    headers: HeaderMap,
    JsonBody(body): JsonBody<SendBody>,
) -> Answer<Response> {
    let request = body.into_request(chat_id, country(&app, &headers))?;
    let mut client = app.clients.generations();
    let events = begin(async move { client.send(request).await }).await?;
    if wants_stream(&headers) {
        return Ok(relay(&app, events));
    }
    collect(events).await.map(|turn| Json(turn).into_response())
}

/// Waits for the end of the reply.
pub(super) async fn collect(events: impl Stream<Item = Result<GenerationEvent, Status>>) -> Answer<Turn> {
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
    responses((status = 200, body = String, content_type = "text/event-stream")))]
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
