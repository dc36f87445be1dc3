//! Ollama's own `POST /api/chat`, streamed as one JSON object a line. Its compatible endpoint cannot set the
//! context and cuts long prompts without a word; here the context is the one that prompts are counted by.

use std::sync::Arc;

use futures::{StreamExt as _, stream};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    Engine, Job, Piece, Pieces, Trouble, messages,
    models::Record,
    speech::Speech,
    wire::{self, Body, Sound, Sounds, Wire},
};
use crate::config::EngineConfig;

/// Bytes of one line.
const LINE_MAX: usize = 1024 * 1024;

#[derive(Clone)]
pub struct Ollama {
    wire: Arc<Wire>,
    model: Arc<str>,
    record: Arc<Record>,
    context: u32,
    reply_tokens: u32,
    keep_alive: Arc<str>,
}

impl Ollama {
    /// `context` is what prompts are counted by.
    ///
    /// # Errors
    /// When the address is no HTTP address.
    pub fn new(config: &EngineConfig, record: Record, context: u32) -> anyhow::Result<Self> {
        let base = config.llm_base_url.trim().trim_end_matches('/').trim_end_matches("/v1");
        Ok(Self {
            wire: Arc::new(Wire::new(base, "/api/chat", &config.llm_api_key, config)?),
            model: config.llm_model.as_str().into(),
            record: Arc::new(record),
            context,
            reply_tokens: config.llm_max_reply_tokens,
            keep_alive: config.llm_keep_alive.as_str().into(),
        })
    }

    fn body(&self, job: &Job) -> Value {
        let server = &self.record.server;
        let mut options = Map::new();
        options.insert("num_ctx".into(), json!(self.record.length(self.context)));
        options.insert(server.max_tokens.clone(), json!(self.record.length(job.length(self.reply_tokens))));
        options.extend(self.record.sampling(&job.sampling));
        let stops = job.stops();
        if !stops.is_empty() && server.stop_max > 0 {
            options.insert("stop".into(), json!(stops[..stops.len().min(server.stop_max)]));
        }
        json!({
            "model": &*self.model,
            "messages": messages(&job.prompt, self.record.model.system),
            "stream": true,
            "keep_alive": &*self.keep_alive,
            "options": options,
        })
    }
}

impl Engine for Ollama {
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
            let body = wire::body(&engine.body(&job), &job.prompt);
            let opened = engine.wire.open(body, read, &engine.record.speech()).await;
            engine.wire.pieces(opened)
        })
        .flatten()
        .boxed()
    }
}

fn read(body: Body, speech: Speech) -> Sounds {
    let reader = Reader { body, line: Vec::new(), speech, last: Vec::new(), done: false };
    stream::unfold(reader, |mut reader| async move { Some((reader.next().await?, reader)) }).boxed()
}

struct Reader {
    body: Body,
    /// Bytes that are not read yet.
    line: Vec<u8>,
    speech: Speech,
    /// What is told after the end, the last thing first.
    last: Vec<Result<Sound, Trouble>>,
    done: bool,
}

impl Reader {
    /// The next sound; `None` after a proper end.
    async fn next(&mut self) -> Option<Result<Sound, Trouble>> {
        loop {
            if self.done {
                return self.last.pop();
            }
            if let Some(end) = self.line.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.line.drain(..=end).collect();
                if let Some(sound) = self.read(&line) {
                    return Some(Ok(sound));
                }
                continue;
            }
            match self.body.next().await {
                Some(Ok(bytes)) if self.line.len() + bytes.len() <= LINE_MAX => {
                    self.line.extend_from_slice(&bytes);
                }
                Some(Ok(_)) => self.end(Some(Trouble::Malformed)),
                Some(Err(_)) => self.end(Some(Trouble::EndedEarly)),
                None => {
                    let line = std::mem::take(&mut self.line);
                    let sound = self.read(&line);
                    if !self.done {
                        self.end(Some(Trouble::EndedEarly));
                    }
                    if let Some(sound) = sound {
                        return Some(Ok(sound));
                    }
                }
            }
        }
    }

    fn end(&mut self, trouble: Option<Trouble>) {
        self.done = true;
        self.last.extend(trouble.map(Err));
        let rest = self.speech.finish();
        if !rest.is_empty() {
            self.last.push(Ok(Sound::Piece(Piece::Text(rest))));
        }
    }

    fn read(&mut self, line: &[u8]) -> Option<Sound> {
        if line.iter().all(u8::is_ascii_whitespace) {
            return None;
        }
        let Ok(chunk) = serde_json::from_slice::<Chunk>(line) else {
            self.end(Some(Trouble::Malformed));
            return None;
        };
        if chunk.error.is_some() {
            tracing::warn!("the language model reported an error inside its stream");
            self.end(Some(Trouble::Error));
            return None;
        }
        let message = chunk.message.unwrap_or_default();
        let thought = message.thinking.is_some_and(|thinking| !thinking.is_empty());
        if thought {
            self.speech.thinks();
        }
        let said = self.speech.push(&message.content);
        let nothing = said.is_empty();
        if chunk.done {
            let silent = self.speech.silent();
            let trouble = match chunk.done_reason.as_deref() {
                // The model was loaded or unloaded, and nothing was asked of it.
                Some("load" | "unload") => Some(Trouble::EndedEarly),
                Some("length") if silent => Some(Trouble::ReasonedOnly),
                _ => self.speech.only_thought().then_some(Trouble::ReasonedOnly),
            };
            if trouble.is_none() {
                self.last.push(Ok(Sound::Piece(Piece::Usage {
                    prompt: chunk.prompt_eval_count,
                    reply: chunk.eval_count,
                })));
            }
            self.end(trouble);
        }
        if !nothing {
            Some(Sound::Piece(Piece::Text(said)))
        } else {
            (thought || !message.content.is_empty()).then_some(Sound::Thought)
        }
    }
}

#[derive(Deserialize)]
struct Chunk {
    message: Option<Message>,
    #[serde(default)]
    done: bool,
    done_reason: Option<String>,
    /// Absent where the prompt was in the cache.
    #[serde(default)]
    prompt_eval_count: u32,
    #[serde(default)]
    eval_count: u32,
    error: Option<Value>,
}

#[derive(Default, Deserialize)]
struct Message {
    #[serde(default)]
    content: String,
    thinking: Option<String>,
}
