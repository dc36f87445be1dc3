//! Reading event streams: a reply as the web app reads it, and the hints of `/api/events`.

use std::time::Instant;

use anyhow::{Context as _, Result};
use eventsource_stream::{Event, Eventsource as _};
use futures::{Stream, StreamExt as _};
use reqwest::Response;
use serde_json::Value;

/// How a reply ended for its reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    Done,
    /// The event `error`, with its code.
    Failed(String),
    /// No more came, and no word of an end.
    Cut,
}

/// A reply as it was read.
#[derive(Debug, Clone)]
pub struct Reply {
    /// Empty when not even the beginning was told.
    pub generation: String,
    /// Id of the user's message, when the reader said something.
    pub user_message: Option<String>,
    /// Id of the character's message.
    pub ai_message: Option<String>,
    /// What the deltas add up to.
    pub text: String,
    /// The text of the stored message, as the last event tells it.
    pub stored: Option<String>,
    /// Id of the last event that had one: where a reader comes back.
    pub last_id: String,
    pub deltas: usize,
    /// All events, the first and the last included.
    pub events: usize,
    /// When the first text came.
    pub first: Option<Instant>,
    /// When it ended.
    pub ended: Instant,
    pub end: End,
}

/// The events of a response, until it ends or breaks.
pub fn events(response: Response) -> impl Stream<Item = Result<Event>> {
    response.bytes_stream().eventsource().map(|event| event.context("the event stream broke"))
}

/// Reads a reply to its end. A connection that breaks is an end too: `End::Cut`.
///
/// # Errors
/// When an event holds what no reply holds.
pub async fn reply(response: Response) -> Result<Reply> {
    let mut events = std::pin::pin!(events(response));
    let mut reply = Reply {
        generation: String::new(),
        user_message: None,
        ai_message: None,
        text: String::new(),
        stored: None,
        last_id: String::new(),
        deltas: 0,
        events: 0,
        first: None,
        ended: Instant::now(),
        end: End::Cut,
    };
    while let Some(Ok(event)) = events.next().await {
        reply.events += 1;
        if !event.id.is_empty() {
            reply.last_id.clone_from(&event.id);
        }
        let data: Value = serde_json::from_str(&event.data).context("an event is JSON")?;
        let id = |name: &str| data[name]["_id"].as_str().map(str::to_owned);
        match event.event.as_str() {
            "start" => {
                reply.generation = data["generationId"].as_str().unwrap_or_default().to_owned();
                reply.user_message = id("userMessage");
                reply.ai_message = id("aiMessage");
            }
            "delta" => {
                reply.first.get_or_insert_with(Instant::now);
                reply.deltas += 1;
                reply.text.push_str(data["text"].as_str().context("a delta has text")?);
            }
            "done" => {
                reply.end = End::Done;
                reply.stored = data["aiMessage"]["content"].as_str().map(str::to_owned);
                break;
            }
            "error" => {
                reply.end = End::Failed(data["code"].as_str().unwrap_or_default().to_owned());
                break;
            }
            other => anyhow::bail!("a reply has no event {other}"),
        }
    }
    reply.ended = Instant::now();
    Ok(reply)
}
