//! Hints for open browsers: something changed, fetch it again.

use axum::{
    extract::State as Shared,
    response::{Response, sse::Event},
};
use futures::{StreamExt as _, future, stream};
use serde::Serialize;
use tokio_stream::wrappers::BroadcastStream;
use utoipa::ToSchema;

use crate::{State, extract::Me, hub::Word, sse};

/// Data of an event `hint`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Hint {
    /// `image.progress`, `image.completed`, `image.failed`, `entitlement.changed`, `character.changed`, `chat.changed`
    /// (a message was added, edited, deleted or brought back, or another branch is shown) …, or `reload`: hints may have
    /// been missed, fetch everything again.
    #[serde(rename = "type")]
    what: String,
    /// What changed; absent with `reload`.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(value_type = Option<String>)]
    id: String,
}

/// The user's hints, as Server-Sent Events named `hint`.
#[utoipa::path(get, path = "/events", tag = "events", responses((status = 200, body = String, content_type = "text/event-stream")))]
pub async fn stream_hints(Shared(app): Shared<State>, Me(me): Me) -> Response {
    let words = BroadcastStream::new(app.hub.listen(me.id))
        // The one error there is: words were missed.
        .map(|word| word.unwrap_or(Word::Reload))
        .take_while(move |word| future::ready(!word.ends(&me)))
        .filter_map(|word| {
            future::ready(match word {
                Word::Hint { what, id } => Some(hint(what, id)),
                Word::Reload => Some(hint("reload".into(), String::new())),
                Word::Revoked { .. } => None,
            })
        });
    // A first comment opens the stream in the browser at once.
    let open = stream::once(future::ready(Event::default().comment("listening")));
    sse::answer(open.chain(words), &app.shutdown)
}

fn hint(what: String, id: String) -> Event {
    let data = serde_json::to_string(&Hint { what, id }).expect("a hint is plain data");
    Event::default().event("hint").data(data)
}
