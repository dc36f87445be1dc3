//! Any OpenAI-compatible server: `POST {base}/chat/completions`, streamed. Only what its record allows is
//! sent (`models.toml`).

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use bytes::Bytes;
use eventsource_stream::{EventStream, EventStreamError, Eventsource as _};
use futures::{StreamExt as _, stream};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    Engine, Job, Piece, Pieces, Trouble, messages,
    models::Record,
    speech::Speech,
    wire::{Body, Sound, Sounds, Wire},
};
use crate::config::EngineConfig;

/// Bytes of one event, up to the empty line behind it.
const EVENT_MAX: usize = 1024 * 1024;

#[derive(Clone)]
pub struct OpenAi {
    wire: Wire,
    model: String,
    record: Record,
    reply_tokens: u32,
    /// The server refused to tell usage in a stream.
    no_usage: Arc<AtomicBool>,
}

impl OpenAi {
    /// # Errors
    /// When the address is no HTTP address.
    pub fn new(config: &EngineConfig, record: Record) -> anyhow::Result<Self> {
        let wire = Wire::new(&config.llm_base_url, "/chat/completions", &config.llm_api_key, config)?;
        Ok(Self {
            wire,
            model: config.llm_model.clone(),
            no_usage: Arc::new(AtomicBool::new(!record.server.stream_options)),
            record,
            reply_tokens: config.llm_max_reply_tokens,
        })
    }

    fn body(&self, job: &Job, with_usage: bool) -> Value {
        let server = &self.record.server;
        let mut body = Map::new();
        body.insert("model".into(), json!(self.model));
        body.insert("messages".into(), messages(&job.prompt, self.record.model.system));
        body.insert("stream".into(), json!(true));
        body.insert(server.max_tokens.clone(), json!(self.record.length(job.length(self.reply_tokens))));
        body.extend(self.record.sampling(&job.sampling));
        let stops = job.stops();
        if !stops.is_empty() && server.stop_max > 0 {
            body.insert("stop".into(), json!(stops[..stops.len().min(server.stop_max)]));
        }
        if with_usage {
            body.insert("stream_options".into(), json!({ "include_usage": true }));
        }
        Value::Object(body)
    }
}

impl Engine for OpenAi {
    fn name(&self) -> &str {
        &self.model
    }

    fn offline(&self) -> bool {
        false
    }

    fn takes(&self, parameter: &str) -> bool {
        parameter == "max_tokens" || self.record.wire(parameter).is_some()
    }

    fn write(&self, job: Job) -> Pieces {
        let engine = self.clone();
        stream::once(async move {
            let speech = engine.record.speech();
            let with_usage = !engine.no_usage.load(Ordering::Relaxed);
            let mut opened = engine.wire.open(&engine.body(&job, with_usage), read, &speech).await;
            if with_usage && opened.as_ref().is_err_and(|refused| refused.said.contains("stream_options")) {
                tracing::info!(model = engine.model, "the server tells no usage; it is not asked again");
                engine.no_usage.store(true, Ordering::Relaxed);
                opened = engine.wire.open(&engine.body(&job, false), read, &speech).await;
            }
            engine.wire.pieces(opened)
        })
        .flatten()
        .boxed()
    }
}

/// The events of one response.
#[must_use]
pub fn read(body: Body, speech: Speech) -> Sounds {
    let reader = Reader {
        events: bounded(body).eventsource(),
        speech,
        finished: false,
        done: false,
        usage: None,
        trouble: None,
    };
    stream::unfold(reader, |mut reader| async move { Some((reader.next().await?, reader)) }).boxed()
}

/// The same body, which ends where an event grows beyond [`EVENT_MAX`]: whoever reads events keeps one until its end,
/// and looks through all of it again with each piece. What is cut off is no JSON, so it is told as malformed.
fn bounded(body: Body) -> Body {
    // Bytes since the last empty line, and whether the line that is read is empty so far.
    let (mut bytes, mut empty) = (0_usize, true);
    body.scan(false, move |over, piece| {
        if *over {
            return std::future::ready(None);
        }
        for byte in piece.iter().flatten() {
            bytes += 1;
            match byte {
                b'\n' if empty => bytes = 0,
                b'\n' => empty = true,
                b'\r' => {}
                _ => empty = false,
            }
            if bytes > EVENT_MAX {
                *over = true;
                return std::future::ready(Some(Ok(Bytes::from_static(b"\n\n"))));
            }
        }
        std::future::ready(Some(piece))
    })
    .boxed()
}

struct Reader {
    events: EventStream<Body>,
    speech: Speech,
    /// There was a `finish_reason`.
    finished: bool,
    done: bool,
    usage: Option<Piece>,
    /// What is told last.
    trouble: Option<Trouble>,
}

impl Reader {
    /// The next sound; `None` after a proper end.
    async fn next(&mut self) -> Option<Result<Sound, Trouble>> {
        loop {
            if self.done {
                if let Some(usage) = self.usage.take() {
                    return Some(Ok(Sound::Piece(usage)));
                }
                return self.trouble.take().map(Err);
            }
            let event = match self.events.next().await {
                Some(Ok(event)) => event,
                // Servers differ in whether they close before or after `[DONE]`; the reason decides.
                Some(Err(EventStreamError::Transport(_))) | None => {
                    if let Some(rest) = self.end() {
                        return Some(Ok(rest));
                    }
                    continue;
                }
                Some(Err(_)) => {
                    self.fail(Trouble::Malformed);
                    continue;
                }
            };
            let data = event.data.trim();
            if data.is_empty() {
                continue;
            }
            if data == "[DONE]" {
                if let Some(rest) = self.end() {
                    return Some(Ok(rest));
                }
                continue;
            }
            match self.read(data) {
                Ok(Some(sound)) => return Some(Ok(sound)),
                Ok(None) => {}
                Err(trouble) => self.fail(trouble),
            }
        }
    }

    /// Nothing more comes; what was held back is said.
    fn end(&mut self) -> Option<Sound> {
        self.done = true;
        let rest = self.speech.finish();
        if !self.finished {
            self.trouble = Some(Trouble::EndedEarly);
        } else if self.speech.only_thought() {
            self.trouble = Some(Trouble::ReasonedOnly);
        }
        (!rest.is_empty()).then_some(Sound::Piece(Piece::Text(rest)))
    }

    fn fail(&mut self, trouble: Trouble) {
        self.done = true;
        self.trouble = Some(trouble);
    }

    fn read(&mut self, data: &str) -> Result<Option<Sound>, Trouble> {
        let chunk: Chunk = serde_json::from_str(data).map_err(|_| Trouble::Malformed)?;
        if chunk.error.is_some_and(|error| !error.is_null()) {
            tracing::warn!("the language model reported an error inside its stream");
            return Err(Trouble::Error);
        }
        if let Some(tokens) = chunk.usage {
            self.usage = Some(Piece::Usage { prompt: tokens.prompt_tokens, reply: tokens.completion_tokens });
        }
        let Some(choice) = chunk.choices.into_iter().flatten().next() else { return Ok(None) };
        let delta = choice.delta.unwrap_or_default();
        let thought = [delta.reasoning_content, delta.reasoning].into_iter().flatten().any(|t| !t.is_null());
        if thought {
            self.speech.thinks();
        }
        let piece = delta.content.unwrap_or_default();
        let said = self.speech.push(&piece);
        match choice.finish_reason.as_deref() {
            Some("error") => return Err(Trouble::Error),
            Some("length") if self.speech.silent() && said.is_empty() => return Err(Trouble::ReasonedOnly),
            Some(_) => self.finished = true,
            None => {}
        }
        Ok(if !said.is_empty() {
            Some(Sound::Piece(Piece::Text(said)))
        } else if thought || !piece.is_empty() {
            Some(Sound::Thought)
        } else {
            None
        })
    }
}

#[derive(Deserialize)]
struct Chunk {
    choices: Option<Vec<Choice>>,
    usage: Option<Tokens>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Option<Delta>,
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
struct Delta {
    content: Option<String>,
    /// llama.cpp, vLLM, DeepSeek.
    reasoning_content: Option<Value>,
    /// OpenRouter, Ollama's compatible endpoint.
    reasoning: Option<Value>,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    prompt_tokens: u32,
    #[serde(default)]
    completion_tokens: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_event_without_an_end_is_not_waited_for() {
        let opening = Bytes::from_static(br#"data: {"choices":[{"delta":{"content":""#);
        let endless = stream::repeat(Bytes::from(vec![b'y'; 64 * 1024]));
        let body = stream::iter([opening]).chain(endless).map(Ok);
        let heard: Vec<_> = read(Box::pin(body), Speech::default()).collect().await;
        assert!(matches!(heard[..], [Err(Trouble::Malformed)]), "{heard:?}");
    }

    #[tokio::test]
    async fn many_events_may_be_longer_together_than_one() {
        let event = r#"data: {"choices":[{"delta":{"content":"y"}}]}"#.to_owned() + "\n\n";
        let times = EVENT_MAX / event.len() + 2;
        let body = stream::repeat(Bytes::from(event)).take(times).map(Ok);
        let heard =
            read(Box::pin(body), Speech::default()).filter(|s| std::future::ready(s.is_ok())).count().await;
        assert_eq!(heard, times);
    }
}
