//! A language model that speaks OpenAI's protocol and costs nothing: a server in this process that says a script of
//! short sentences, at once or one token per interval, and counts who asked.

use std::{
    convert::Infallible,
    net::SocketAddr,
    sync::{
        Arc, RwLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use anyhow::Result;
use axum::{
    Router,
    body::Body,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
    routing::post,
    serve::ListenerExt as _,
};
use bytes::Bytes;
use futures::{Stream, StreamExt as _, stream};
use tokio::{
    net::TcpListener,
    task::JoinHandle,
    time::{Instant, MissedTickBehavior, interval_at},
};

/// What the tokens say, again and again. The first ends a sentence, so that moderation, which holds back what may still
/// become something else, lets it go at once: what is measured is the way to the first text, not the rule. The others make
/// a sentence of eleven words, as people write: moderation looks at each end of one.
pub const TOKENS_SAID: [&str; 12] = [
    "Yes. ", "The ", "lamp ", "burns ", "low ", "and ", "the ", "whole ", "harbour ", "is ", "quiet ",
    "again. ",
];
/// Length of a script unless it is told otherwise.
const TOKENS: usize = 40;

/// Bytes of one event of [`Manner::Endless`].
const ENDLESS: usize = 100 * 1024 * 1024;
/// … which are sent in pieces of so many.
const PIECE: usize = 64 * 1024;

/// How the model behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Manner {
    /// As it should.
    #[default]
    Well,
    /// Takes the request and says nothing.
    Hangs,
    /// Says the first half, then nothing, and holds the connection.
    HangsMidway,
    /// Says the first half and closes.
    Breaks,
    /// Never stops talking.
    Floods,
    /// Sends one event of 100 MB.
    Endless,
    /// Sends bytes that are no text.
    Garbles,
    /// Answers 500.
    Fails,
}

/// What the model answers to each request that begins after it was set.
#[derive(Debug, Clone)]
pub struct Script {
    /// Pieces of text.
    pub tokens: usize,
    /// Before each piece; zero writes all at once.
    pub pace: Duration,
    pub manner: Manner,
}

impl Default for Script {
    fn default() -> Self {
        Self { tokens: TOKENS, pace: Duration::ZERO, manner: Manner::Well }
    }
}

#[derive(Default)]
struct Shared {
    script: RwLock<Script>,
    asked: AtomicU64,
}

/// A running server; it ends when this is dropped.
pub struct Upstream {
    shared: Arc<Shared>,
    /// Where it listens, on loopback.
    pub address: SocketAddr,
    server: JoinHandle<()>,
}

impl Upstream {
    /// Listens on a port of its own.
    ///
    /// # Errors
    /// When there is none.
    pub async fn open() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let shared = Arc::<Shared>::default();
        let routes = Router::new().route("/v1/chat/completions", post(answer)).with_state(shared.clone());
        // Without TCP_NODELAY every reply would be told 40 ms late, and the house blamed for it.
        let listener = listener.tap_io(|socket| {
            let _ = socket.set_nodelay(true);
        });
        let server = tokio::spawn(async move {
            let _ = axum::serve(listener, routes).await;
        });
        Ok(Self { shared, address, server })
    }

    /// For `LLM_BASE_URL`.
    #[must_use]
    pub fn base(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// What a house is told to be a client of this model.
    #[must_use]
    pub fn environment(&self) -> Vec<(String, String)> {
        vec![("LLM_BASE_URL".into(), self.base()), ("LLM_MODEL".into(), "script".into())]
    }

    /// Changes what is answered from now on.
    pub fn plays(&self, script: Script) {
        *self.shared.script.write().expect("no holder panics") = script;
    }

    /// Requests so far.
    #[must_use]
    pub fn asked(&self) -> u64 {
        self.shared.asked.load(Ordering::Relaxed)
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn answer(State(shared): State<Arc<Shared>>) -> Response {
    shared.asked.fetch_add(1, Ordering::Relaxed);
    let script = shared.script.read().expect("no holder panics").clone();
    let body = match script.manner {
        Manner::Hangs => return std::future::pending().await,
        Manner::Fails => return StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        Manner::Well => spoken(&script).boxed(),
        Manner::HangsMidway => begun(&script).chain(stream::pending()).boxed(),
        Manner::Breaks => begun(&script).boxed(),
        Manner::Floods => begun(&script).chain(tokens()).boxed(),
        Manner::Endless => {
            let opening = Bytes::from_static(br#"data: {"choices":[{"index":0,"delta":{"content":""#);
            let piece = Bytes::from(vec![b'y'; PIECE]);
            stream::iter([opening]).chain(stream::iter(std::iter::repeat_n(piece, ENDLESS / PIECE))).boxed()
        }
        Manner::Garbles => {
            let garbled = Bytes::from_static(
                b"data: {\"choices\":[{\"delta\":{\"content\":\"\xff\xfe\xc3\x28\"}}]}\n\n",
            );
            stream::iter([garbled]).chain(spoken(&script)).boxed()
        }
    };
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(body.map(Ok::<_, Infallible>)))
        .into_response()
}

fn tokens() -> impl Stream<Item = Bytes> {
    let all = TOKENS_SAID.map(|token| chunk(&format!(r#"{{"content":"{token}"}}"#), "null"));
    stream::iter(all.into_iter().cycle())
}

/// The events of one reply, each in a piece of its own.
fn spoken(script: &Script) -> impl Stream<Item = Bytes> + use<> {
    let end = [chunk("{}", r#""stop""#), Bytes::from_static(b"data: [DONE]\n\n")];
    said(script, script.tokens).chain(stream::iter(end))
}

/// The first half of it.
fn begun(script: &Script) -> impl Stream<Item = Bytes> + use<> {
    said(script, script.tokens / 2)
}

fn said(script: &Script, tokens: usize) -> impl Stream<Item = Bytes> + use<> {
    let role = chunk(r#"{"role":"assistant","content":""}"#, "null");
    let tokens = self::tokens().take(tokens);
    let tokens =
        if script.pace.is_zero() { tokens.left_stream() } else { paced(tokens, script.pace).right_stream() };
    stream::iter([role]).chain(tokens)
}

/// By an absolute schedule: one late token does not put off those after it.
fn paced<T>(items: impl Stream<Item = T>, pace: Duration) -> impl Stream<Item = T> {
    let mut clock = interval_at(Instant::now() + pace, pace);
    clock.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let ticks = stream::unfold(clock, |mut clock| async move {
        clock.tick().await;
        Some(((), clock))
    });
    ticks.zip(items).map(|((), item)| item)
}

fn chunk(delta: &str, reason: &str) -> Bytes {
    let choice = format!(r#"{{"index":0,"delta":{delta},"finish_reason":{reason}}}"#);
    let event = format!(
        r#"{{"id":"script","object":"chat.completion.chunk","created":0,"model":"script","choices":[{choice}]}}"#
    );
    Bytes::from(format!("data: {event}\n\n"))
}
