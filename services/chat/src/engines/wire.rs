//! What all servers have in common: connections, time-outs, and tries before the first token.

use std::{pin::Pin, time::Duration};

use anyhow::Context as _;
use bytes::Bytes;
use futures::{Stream, StreamExt as _, stream, stream::BoxStream};
use kit::config::Secret;
use reqwest::{
    Client, RequestBuilder, StatusCode, Url,
    header::{self, HeaderValue},
};
use serde::Serialize;
use tokio::time::{Instant, timeout_at};

use super::{Piece, Pieces, Trouble, speech::Speech};
use crate::{config::EngineConfig, prompt::Prompt};

/// First pause before another try; doubles.
const PAUSE: Duration = Duration::from_millis(300);
/// Longest pause that a `Retry-After` is honoured for.
const PAUSE_MAX: Duration = Duration::from_secs(10);
/// Bytes of a refusal that are read, to see what it is about.
const REFUSAL_MAX: usize = 8 * 1024;
/// Bytes of a request beside what its messages say: what it is written for, and a role for each message.
const BESIDE: usize = 4 * 1024;
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The body of a response as it comes in.
pub type Body = Pin<Box<dyn Stream<Item = reqwest::Result<Bytes>> + Send>>;

/// What comes out of a body.
#[derive(Debug)]
pub enum Sound {
    Piece(Piece),
    /// The model thinks: a sign of life, and nothing else.
    Thought,
}

/// Ends after the last sound or the first trouble.
pub type Sounds = BoxStream<'static, Result<Sound, Trouble>>;

/// Reads a body.
pub type Read = fn(Body, Speech) -> Sounds;

/// The way to a server.
#[derive(Clone)]
pub struct Wire {
    client: Client,
    url: Url,
    key: Secret,
    first_token: Duration,
    idle: Duration,
    retries: u32,
}

/// Why there is no stream.
#[derive(Debug)]
pub struct Refused {
    pub trouble: Trouble,
    /// What the server said of it, in lower case; never shown, never logged.
    pub said: String,
    again: bool,
    after: Option<Duration>,
}

impl Refused {
    fn new(trouble: Trouble, again: bool) -> Self {
        Self { trouble, said: String::new(), again, after: None }
    }
}

/// A stream that has begun.
pub struct Opened {
    waiting: Vec<Piece>,
    sounds: Sounds,
}

/// What a server is asked, with the words of a prompt in it. Written once for all tries, in one piece of memory as a rule: a
/// history of tens of kilobytes would be copied each time the piece has grown too small.
#[must_use]
pub fn body(asked: &impl Serialize, prompt: &Prompt) -> Bytes {
    let said: usize = prompt.messages.iter().map(|message| message.content.len()).sum();
    // Some signs are written as two.
    let mut body = Vec::with_capacity(said + said / 8 + BESIDE);
    serde_json::to_writer(&mut body, asked)
        .expect("texts, numbers, and maps of both by texts can be written");
    body.into()
}

impl Wire {
    /// To `path` below `base`.
    ///
    /// # Errors
    /// When the address is no HTTP address.
    pub fn new(base: &str, path: &str, key: &Secret, config: &EngineConfig) -> anyhow::Result<Self> {
        let base = base.trim().trim_end_matches('/');
        let url = Url::parse(&[base, path].concat())
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https"))
            .context("LLM_BASE_URL must be an http(s) address, such as http://127.0.0.1:11434/v1")?;
        let client = kit::outbound::builder()
            .connect_timeout(Duration::from_secs_f64(config.llm_connect_timeout_s))
            .build()
            .context("the HTTP client cannot be made")?;
        Ok(Self {
            client,
            url,
            key: key.clone(),
            first_token: Duration::from_secs_f64(config.llm_first_token_timeout_s),
            idle: Duration::from_secs_f64(config.llm_idle_timeout_s),
            retries: config.llm_retries,
        })
    }

    fn request(&self, body: Bytes) -> RequestBuilder {
        let request = self.client.post(self.url.clone()).header(header::CONTENT_TYPE, JSON).body(body);
        let key = self.key.expose();
        if key.is_empty() { request } else { request.bearer_auth(key) }
    }

    /// Asks, again where that may help, until the first piece of text or a proper end.
    ///
    /// # Errors
    /// Why there is none.
    pub async fn open(&self, body: Bytes, read: Read, speech: &Speech) -> Result<Opened, Refused> {
        let mut pause = PAUSE;
        let mut left = self.retries;
        loop {
            let refused = match self.attempt(body.clone(), read, speech.clone()).await {
                Ok(opened) => return Ok(opened),
                Err(refused) => refused,
            };
            let wait = refused.after.unwrap_or(pause);
            if !refused.again || left == 0 || wait > PAUSE_MAX {
                return Err(refused);
            }
            left -= 1;
            metrics::counter!("chat_engine_retries_total", "reason" => refused.trouble.reason()).increment(1);
            tokio::time::sleep(wait).await;
            pause *= 2;
        }
    }

    /// One request, up to the first piece of text.
    async fn attempt(&self, body: Bytes, read: Read, speech: Speech) -> Result<Opened, Refused> {
        let mut by = Instant::now() + self.first_token;
        let response = match timeout_at(by, self.request(body).send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => {
                tracing::warn!(error = %error.without_url(), "the language model cannot be reached");
                return Err(Refused::new(Trouble::Unreachable, true));
            }
            Err(_) => return Err(Refused::new(Trouble::Timeout, false)),
        };
        if !response.status().is_success() {
            return Err(match timeout_at(by, refusal(response)).await {
                Ok(refused) => refused,
                Err(_) => Refused::new(Trouble::Timeout, false),
            });
        }
        let mut sounds = read(Box::pin(response.bytes_stream()), speech);
        let mut waiting = Vec::new();
        loop {
            match timeout_at(by, sounds.next()).await {
                Err(_) => return Err(Refused::new(Trouble::Timeout, false)),
                Ok(Some(Ok(Sound::Piece(piece)))) => {
                    let text = matches!(piece, Piece::Text(_));
                    waiting.push(piece);
                    if text {
                        return Ok(Opened { waiting, sounds });
                    }
                }
                // Thinking takes as long as it takes, as long as it goes on.
                Ok(Some(Ok(Sound::Thought))) => by = by.max(Instant::now() + self.idle),
                Ok(Some(Err(trouble))) => {
                    // Who cannot speak the protocol, or thinks too long, will not learn by being asked again.
                    let again = !matches!(trouble, Trouble::Malformed | Trouble::ReasonedOnly);
                    return Err(Refused::new(trouble, again));
                }
                Ok(None) => return Ok(Opened { waiting, sounds }),
            }
        }
    }

    /// What has begun, to its end, with the pause between two tokens bounded.
    pub fn pieces(&self, opened: Result<Opened, Refused>) -> Pieces {
        let opened = match opened {
            Ok(opened) => opened,
            Err(refused) => return stream::iter([Err(refused.trouble)]).boxed(),
        };
        let idle = self.idle;
        let rest = stream::unfold(Some(opened.sounds), move |sounds| async move {
            let mut sounds = sounds?;
            loop {
                return match tokio::time::timeout(idle, sounds.next()).await {
                    Err(_) => Some((Err(Trouble::Timeout), None)),
                    Ok(None) => None,
                    Ok(Some(Err(trouble))) => Some((Err(trouble), None)),
                    Ok(Some(Ok(Sound::Thought))) => continue,
                    Ok(Some(Ok(Sound::Piece(piece)))) => Some((Ok(piece), Some(sounds))),
                };
            }
        });
        stream::iter(opened.waiting.into_iter().map(Ok)).chain(rest).boxed()
    }
}

async fn refusal(mut response: reqwest::Response) -> Refused {
    let status = response.status();
    let after = response
        .headers()
        .get(header::RETRY_AFTER)
        .and_then(|v| v.to_str().ok())
        .and_then(|v| v.trim().parse().ok())
        .map(Duration::from_secs);
    let mut said = Vec::new();
    while let Ok(Some(piece)) = response.chunk().await {
        said.extend_from_slice(&piece);
        if said.len() > REFUSAL_MAX {
            break;
        }
    }
    let said = String::from_utf8_lossy(&said).to_lowercase();
    tracing::warn!(%status, "the language model refused");
    let (trouble, again) = match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => (Trouble::RefusedKey, false),
        StatusCode::TOO_MANY_REQUESTS => (Trouble::RateLimited, true),
        StatusCode::REQUEST_TIMEOUT => (Trouble::Timeout, true),
        status => (Trouble::Error, status.is_server_error()),
    };
    Refused { trouble, said, again, after }
}
