//! Any OpenAI-compatible server: `POST {base}/chat/completions`, streamed. Only what its record allows is
//! sent (`models.toml`).

use std::{
    mem,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use futures::{
    StreamExt as _, future,
    stream::{self, BoxStream},
};
use memchr::memchr2_iter;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{
    Engine, Job, Piece, Pieces, Told, Trouble, messages,
    models::Record,
    speech::Speech,
    wire::{self, Body, Sound, Sounds, Wire},
};
use crate::config::EngineConfig;

/// Bytes of one event, with the empty line behind it.
const EVENT_MAX: usize = 1024 * 1024;

/// What is asked for. The history is most of it and is written as it is, not copied for it.
#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    messages: Vec<Told<'a>>,
    stream: bool,
    /// What servers differ in, by the names that this one has for it.
    #[serde(flatten)]
    options: Map<String, Value>,
}

#[derive(Clone)]
pub struct OpenAi {
    wire: Arc<Wire>,
    model: Arc<str>,
    record: Arc<Record>,
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
            wire: Arc::new(wire),
            model: config.llm_model.as_str().into(),
            no_usage: Arc::new(AtomicBool::new(!record.server.stream_options)),
            record: Arc::new(record),
            reply_tokens: config.llm_max_reply_tokens,
        })
    }

    fn request<'a>(&'a self, job: &'a Job, with_usage: bool) -> Request<'a> {
        let server = &self.record.server;
        let mut options = Map::new();
        options.insert(server.max_tokens.clone(), json!(self.record.length(job.length(self.reply_tokens))));
        options.extend(self.record.sampling(&job.sampling));
        let stops = job.stops();
        if !stops.is_empty() && server.stop_max > 0 {
            options.insert("stop".into(), json!(stops[..stops.len().min(server.stop_max)]));
        }
        if with_usage {
            options.insert("stream_options".into(), json!({ "include_usage": true }));
        }
        let messages = messages(&job.prompt, self.record.model.system);
        Request { model: &self.model, messages, stream: true, options }
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
            let body = |with_usage| wire::body(&engine.request(&job, with_usage), &job.prompt);
            let mut opened = engine.wire.open(body(with_usage), read, &speech).await;
            if with_usage && opened.as_ref().is_err_and(|refused| refused.said.contains("stream_options")) {
                tracing::info!(model = &*engine.model, "the server tells no usage; it is not asked again");
                engine.no_usage.store(true, Ordering::Relaxed);
                opened = engine.wire.open(body(false), read, &speech).await;
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
    let reader =
        Reader { events: by_events(body), speech, finished: false, done: false, usage: None, trouble: None };
    stream::unfold(reader, |mut reader| async move { Some((reader.next().await?, reader)) }).boxed()
}

/// Why there are no further events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Broken {
    /// The connection.
    Transport,
    /// An event beyond [`EVENT_MAX`], or one that is not UTF-8.
    Malformed,
}

/// What each event says.
type Events = BoxStream<'static, Result<String, Broken>>;

/// The body by its events (decision 35).
fn by_events(body: Body) -> Events {
    let mut splitter =
        Splitter { event: Vec::new(), is_empty: true, is_after_return: false, has_begun: false };
    body.scan(false, move |is_over, piece| {
        let mut events = Vec::new();
        if *is_over {
            return future::ready(None);
        }
        let split = match piece {
            Ok(piece) => splitter.split(&piece, &mut events),
            Err(_) => Err(Broken::Transport),
        };
        if let Err(broken) = split {
            *is_over = true;
            events.push(Err(broken));
        }
        future::ready(Some(stream::iter(events)))
    })
    .flatten()
    .boxed()
}

/// Finds where events end: at an empty line, whichever way lines end.
struct Splitter {
    /// What pieces before had of the event that is read.
    event: Vec<u8>,
    /// Whether the line that is read is, so far.
    is_empty: bool,
    /// Whether the byte before is a carriage return.
    is_after_return: bool,
    /// Whether there was an event before.
    has_begun: bool,
}

impl Splitter {
    /// # Errors
    /// [`Broken::Malformed`]
    fn split(&mut self, piece: &[u8], said: &mut Vec<Result<String, Broken>>) -> Result<(), Broken> {
        let (mut from, mut line) = (0, 0);
        for at in memchr2_iter(b'\n', b'\r', piece) {
            self.reads(at - line);
            let returns = piece[at] == b'\r';
            let ends = if returns { self.is_after_return } else { self.is_empty };
            self.is_empty |= !returns;
            self.is_after_return = returns;
            line = at + 1;
            if ends {
                said.extend(self.end(&piece[from..line])?.map(Ok));
                from = line;
            }
        }
        self.reads(piece.len() - line);
        self.event.extend_from_slice(&piece[from..]);
        if self.event.len() > EVENT_MAX { Err(Broken::Malformed) } else { Ok(()) }
    }

    /// So many bytes of a line.
    fn reads(&mut self, bytes: usize) {
        self.is_empty &= bytes == 0;
        self.is_after_return &= bytes == 0;
    }

    /// What the event says of which `rest` is the end. Most have come in one piece, and are read where they are.
    fn end(&mut self, rest: &[u8]) -> Result<Option<String>, Broken> {
        if !self.event.is_empty() {
            self.event.extend_from_slice(rest);
        }
        let whole = if self.event.is_empty() { rest } else { &self.event };
        if whole.len() > EVENT_MAX {
            return Err(Broken::Malformed);
        }
        let text = str::from_utf8(whole).map_err(|_| Broken::Malformed)?;
        let said = data(match mem::replace(&mut self.has_begun, true) {
            // Byte-order marks are no text, however many there are.
            false => text.trim_start_matches('\u{feff}'),
            true => text,
        });
        self.event.clear();
        Ok(said)
    }
}

/// What an event says: its fields `data`, a line each. `None` when it has none, as a comment has not. (HTML Living Standard,
/// 9.2.6; its other fields are for who comes back to a stream, and nobody comes back to a model's.)
fn data(event: &str) -> Option<String> {
    let mut begin = 0;
    let ends = memchr2_iter(b'\n', b'\r', event.as_bytes()).chain([event.len()]);
    let mut lines = ends.map(|end| &event[mem::replace(&mut begin, end + 1)..end]).filter_map(|line| {
        match line.strip_prefix("data")? {
            "" => Some(""),
            rest => rest.strip_prefix(':').map(|value| value.strip_prefix(' ').unwrap_or(value)),
        }
    });
    let first = lines.next()?.to_owned();
    Some(lines.fold(first, |said, line| said + "\n" + line))
}

struct Reader {
    events: Events,
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
            let data = match self.events.next().await {
                Some(Ok(data)) => data,
                // Servers differ in whether they close before or after `[DONE]`; the reason decides.
                Some(Err(Broken::Transport)) | None => {
                    if let Some(rest) = self.end() {
                        return Some(Ok(rest));
                    }
                    continue;
                }
                Some(Err(Broken::Malformed)) => {
                    self.fail(Trouble::Malformed);
                    continue;
                }
            };
            let data = data.trim();
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
    use bytes::Bytes;

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

    #[tokio::test]
    async fn events_are_the_same_wherever_their_body_is_cut() {
        let event = |text: &str| format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}");
        let texts = ["Où ", "vas-", "tu ?"];
        let last = r#"data: {"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
        for (begin, end) in
            [("", "\n"), ("\u{feff}", "\n"), ("\u{feff}\u{feff}", "\n"), ("", "\r\n"), ("", "\r")]
        {
            let mut events: Vec<String> = texts.iter().map(|text| event(text)).collect();
            events.extend([last.into(), "data: [DONE]".into(), String::new()]);
            let all = Bytes::from(begin.to_owned() + &events.join(&end.repeat(2)));
            for length in [1, 2, 7, all.len()] {
                let cut = |at| Ok(all.slice(at..all.len().min(at + length)));
                let pieces: Vec<_> = (0..all.len()).step_by(length).map(cut).collect();
                let heard: Vec<_> = read(Box::pin(stream::iter(pieces)), Speech::default()).collect().await;
                let said: Vec<&str> = heard
                    .iter()
                    .map(|sound| match sound {
                        Ok(Sound::Piece(Piece::Text(text))) => text.as_str(),
                        other => panic!("{other:?} with {end:?}, cut by {length}"),
                    })
                    .collect();
                assert_eq!(said, texts, "{end:?}, cut by {length}");
            }
        }
    }

    #[tokio::test]
    async fn a_body_is_read_up_to_what_is_not_utf_8() {
        let event = "data: {\"choices\":[{\"delta\":{\"content\":\"y\"}}]}\n\n";
        let body = [event.as_bytes(), b"data: \xff\n\n", event.as_bytes()].concat();
        let body = stream::iter([Ok(Bytes::from(body))]).chain(stream::pending());
        let heard: Vec<_> = read(Box::pin(body), Speech::default()).collect().await;
        assert!(matches!(heard[..], [Ok(_), Err(Trouble::Malformed)]), "{heard:?}");
    }

    #[tokio::test]
    async fn a_reply_that_is_there_at_once_is_not_copied_for_each_of_its_events() {
        let said = r#"{"choices":[{"delta":{"content":"y"}}]}"#.to_owned();
        let whole = Bytes::from(format!("data: {said}\n\n").repeat(200));
        let events: Vec<_> = by_events(Box::pin(stream::iter([Ok(whole)]))).collect().await;
        assert_eq!(events, vec![Ok(said); 200]);
    }

    #[test]
    fn an_event_says_its_lines_of_data_and_nothing_else() {
        for (event, said) in [
            ("data: one\n\n", Some("one")),
            ("data:one\r\n\r\n", Some("one")),
            ("data:  two blanks\n\n", Some(" two blanks")),
            ("event: delta\nid: 7\ndata: one\ndata: two\nretry: 5\n\n", Some("one\ntwo")),
            ("data: one\rdata\rdata: three\r\r", Some("one\n\nthree")),
            ("data: {\"a\":\"data: b\"}\n\n", Some("{\"a\":\"data: b\"}")),
            ("data\n\n", Some("")),
            (": OPENROUTER PROCESSING\n\n", None),
            ("database: one\n\n", None),
            (" data: one\n\n", None),
            ("\n", None),
        ] {
            assert_eq!(data(event).as_deref(), said, "{event:?}");
        }
    }
}
