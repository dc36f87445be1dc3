//! Any OpenAI-compatible server (Ollama, llama.cpp, vLLM, OpenRouter): `POST {base}/chat/completions`,
//! streamed. Tried again only before the first token; afterwards what was written is kept.

use std::{pin::Pin, time::Duration};

use anyhow::Context as _;
use eventsource_stream::{EventStream, EventStreamError, Eventsource as _};
use futures::{Stream, StreamExt as _, stream};
use kit::config::Secret;
use reqwest::{Client, StatusCode, Url, header};
use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, timeout_at};

use super::{Engine, Job, Piece, Pieces, Trouble};
use crate::config::EngineConfig;

/// First pause before another try; doubles.
const PAUSE: Duration = Duration::from_millis(300);
/// Longest pause that a `Retry-After` is honoured for.
const PAUSE_MAX: Duration = Duration::from_secs(10);

#[derive(Clone)]
pub struct OpenAi {
    client: Client,
    url: Url,
    model: String,
    key: Secret,
    first_token: Duration,
    idle: Duration,
    retries: u32,
    reply_tokens: u32,
    temperature: f64,
}

impl OpenAi {
    /// # Errors
    /// When `LLM_BASE_URL` is no HTTP address.
    pub fn new(config: &EngineConfig) -> anyhow::Result<Self> {
        let base = config.llm_base_url.trim().trim_end_matches('/');
        let url = Url::parse(&format!("{base}/chat/completions"))
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https"))
            .context("LLM_BASE_URL must be an http(s) address, such as http://127.0.0.1:11434/v1")?;
        let client = Client::builder()
            .connect_timeout(Duration::from_secs_f64(config.llm_connect_timeout_s))
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .context("the HTTP client cannot be made")?;
        Ok(Self {
            client,
            url,
            model: config.llm_model.clone(),
            key: config.llm_api_key.clone(),
            first_token: Duration::from_secs_f64(config.llm_first_token_timeout_s),
            idle: Duration::from_secs_f64(config.llm_idle_timeout_s),
            retries: config.llm_retries,
            reply_tokens: config.llm_max_reply_tokens,
            temperature: config.llm_temperature,
        })
    }

    /// One request, up to the first piece of text.
    async fn attempt(&self, body: &serde_json::Value, by: Instant) -> Result<Opened, Attempt> {
        let mut request = self.client.post(self.url.clone()).json(body);
        request = request.header(header::ACCEPT, "text/event-stream");
        if !self.key.expose().is_empty() {
            request = request.bearer_auth(self.key.expose());
        }
        let response = match timeout_at(by, request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) if error.is_connect() || error.is_timeout() => {
                tracing::warn!(error = %error.without_url(), "the language model cannot be reached");
                return Err(Attempt::again(Trouble::Unreachable));
            }
            Ok(Err(error)) => {
                tracing::warn!(error = %error.without_url(), "the language model broke off");
                return Err(Attempt::again(Trouble::Unreachable));
            }
            Err(_) => return Err(Attempt::last(Trouble::Timeout)),
        };
        if !response.status().is_success() {
            return Err(refused(response).await);
        }
        let mut reader = Reader::new(Box::pin(response.bytes_stream()));
        let mut waiting = Vec::new();
        loop {
            match timeout_at(by, reader.next()).await {
                Err(_) => return Err(Attempt::last(Trouble::Timeout)),
                Ok(Some(Ok(piece @ Piece::Text(_)))) => {
                    waiting.push(piece);
                    return Ok(Opened { waiting, reader });
                }
                Ok(Some(Ok(usage))) => waiting.push(usage),
                Ok(Some(Err(trouble))) => {
                    // A server that cannot speak the protocol will not learn it by being asked again.
                    let again = !matches!(trouble, Trouble::Malformed);
                    return Err(Attempt { trouble, again, after: None });
                }
                Ok(None) => return Ok(Opened { waiting, reader }),
            }
        }
    }

    async fn open(&self, body: &serde_json::Value) -> Result<Opened, Trouble> {
        let mut pause = PAUSE;
        let mut left = self.retries;
        loop {
            let by = Instant::now() + self.first_token;
            let attempt = match self.attempt(body, by).await {
                Ok(opened) => return Ok(opened),
                Err(attempt) => attempt,
            };
            let wait = attempt.after.unwrap_or(pause);
            if !attempt.again || left == 0 || wait > PAUSE_MAX {
                return Err(attempt.trouble);
            }
            left -= 1;
            metrics::counter!("chat_engine_retries_total", "reason" => attempt.trouble.reason()).increment(1);
            tokio::time::sleep(wait).await;
            pause *= 2;
        }
    }
}

impl Engine for OpenAi {
    fn name(&self) -> &str {
        &self.model
    }

    fn offline(&self) -> bool {
        false
    }

    fn write(&self, job: Job) -> Pieces {
        let body = json!({
            "model": self.model,
            "messages": job.prompt.messages,
            "max_tokens": self.reply_tokens,
            "temperature": self.temperature,
            "stream": true,
            "stream_options": { "include_usage": true },
        });
        let engine = self.clone();
        stream::once(async move {
            match engine.open(&body).await {
                Err(trouble) => stream::iter([Err(trouble)]).boxed(),
                Ok(opened) => {
                    let idle = engine.idle;
                    let rest = stream::unfold(Some(opened.reader), move |reader| async move {
                        let mut reader = reader?;
                        match tokio::time::timeout(idle, reader.next()).await {
                            Err(_) => Some((Err(Trouble::Timeout), None)),
                            Ok(None) => None,
                            Ok(Some(Err(trouble))) => Some((Err(trouble), None)),
                            Ok(Some(piece)) => Some((piece, Some(reader))),
                        }
                    });
                    stream::iter(opened.waiting.into_iter().map(Ok)).chain(rest).boxed()
                }
            }
        })
        .flatten()
        .boxed()
    }
}

/// A stream that has begun.
struct Opened {
    waiting: Vec<Piece>,
    reader: Reader,
}

/// A try that failed, and whether another may help.
struct Attempt {
    trouble: Trouble,
    again: bool,
    after: Option<Duration>,
}

impl Attempt {
    fn again(trouble: Trouble) -> Self {
        Self { trouble, again: true, after: None }
    }

    fn last(trouble: Trouble) -> Self {
        Self { trouble, again: false, after: None }
    }
}

async fn refused(response: reqwest::Response) -> Attempt {
    let status = response.status();
    let after = response
        .headers()
        .get(header::RETRY_AFTER)
        .and_then(|v| v.to_str().ok())
        .and_then(|v| v.trim().parse().ok())
        .map(Duration::from_secs);
    tracing::warn!(%status, "the language model refused");
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Attempt::last(Trouble::RefusedKey),
        StatusCode::TOO_MANY_REQUESTS => Attempt { trouble: Trouble::RateLimited, again: true, after },
        status if status.is_server_error() => Attempt { trouble: Trouble::Error, again: true, after },
        _ => Attempt::last(Trouble::Error),
    }
}

type Body = Pin<Box<dyn Stream<Item = reqwest::Result<bytes::Bytes>> + Send>>;

/// Reads the events of one response.
struct Reader {
    events: EventStream<Body>,
    finished: bool,
    done: bool,
}

impl Reader {
    fn new(body: Body) -> Self {
        Self { events: body.eventsource(), finished: false, done: false }
    }

    /// The next piece; `None` after a proper end.
    async fn next(&mut self) -> Option<Result<Piece, Trouble>> {
        while !self.done {
            let event = match self.events.next().await {
                Some(Ok(event)) => event,
                Some(Err(EventStreamError::Transport(_))) | None => {
                    self.done = true;
                    // Servers differ in whether they close before or after `[DONE]`; the reason decides.
                    return (!self.finished).then_some(Err(Trouble::EndedEarly));
                }
                Some(Err(_)) => {
                    self.done = true;
                    return Some(Err(Trouble::Malformed));
                }
            };
            let data = event.data.trim();
            if data.is_empty() {
                continue;
            }
            if data == "[DONE]" {
                self.done = true;
                return (!self.finished).then_some(Err(Trouble::EndedEarly));
            }
            match self.read(data) {
                Ok(Some(piece)) => return Some(Ok(piece)),
                Ok(None) => {}
                Err(trouble) => {
                    self.done = true;
                    return Some(Err(trouble));
                }
            }
        }
        None
    }

    fn read(&mut self, data: &str) -> Result<Option<Piece>, Trouble> {
        let chunk: Chunk = serde_json::from_str(data).map_err(|_| Trouble::Malformed)?;
        if chunk.error.is_some_and(|error| !error.is_null()) {
            tracing::warn!("the language model reported an error inside its stream");
            return Err(Trouble::Error);
        }
        if let Some(choice) = chunk.choices.into_iter().flatten().next() {
            match choice.finish_reason.as_deref() {
                Some("error") => return Err(Trouble::Error),
                Some(_) => self.finished = true,
                None => {}
            }
            if let Some(text) = choice.delta.and_then(|d| d.content).filter(|t| !t.is_empty()) {
                return Ok(Some(Piece::Text(text)));
            }
        }
        Ok(chunk.usage.map(|u| Piece::Usage { prompt: u.prompt_tokens, reply: u.completion_tokens }))
    }
}

#[derive(Deserialize)]
struct Chunk {
    choices: Option<Vec<Choice>>,
    usage: Option<Tokens>,
    error: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Option<Delta>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Delta {
    content: Option<String>,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    prompt_tokens: u32,
    #[serde(default)]
    completion_tokens: u32,
}
