//! An OpenAI-compatible server that does what a test tells it to.

use std::{
    collections::VecDeque,
    convert::Infallible,
    sync::{Arc, Mutex},
};

use axum::{
    Json, Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
    routing::post,
};
use futures::{StreamExt as _, stream};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

/// One thing that the model does within an answer.
#[derive(Clone)]
pub enum Step {
    Say(&'static str),
    /// Raw bytes of the stream.
    Raw(&'static str),
    /// Nothing more until the test says so.
    Wait,
    /// `finish_reason`, the usage and `[DONE]`.
    Finish,
}

/// What a request is answered with.
#[derive(Clone)]
pub enum Answer {
    Stream(Vec<Step>),
    /// Status, seconds of `Retry-After`.
    Status(u16, Option<&'static str>),
    /// Status and body.
    Refusal(u16, &'static str),
}

#[derive(Clone)]
pub struct Model {
    pub url: String,
    answers: Arc<Mutex<VecDeque<Answer>>>,
    /// Bodies of the requests so far.
    pub asked: Arc<Mutex<Vec<Value>>>,
    pub keys: Arc<Mutex<Vec<String>>>,
    gate: Arc<Semaphore>,
}

impl Model {
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}/v1", listener.local_addr().expect("bound"));
        let model = Self {
            url,
            answers: Arc::default(),
            asked: Arc::default(),
            keys: Arc::default(),
            gate: Arc::new(Semaphore::new(0)),
        };
        let router = Router::new()
            .route("/v1/chat/completions", post(answer))
            // Ollama's own; what it streams is given raw.
            .route("/api/chat", post(answer))
            .with_state(model.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        model
    }

    /// The next requests are answered so, in this order.
    pub fn will(&self, answer: Answer) {
        self.answers.lock().expect("no holder panics").push_back(answer);
    }

    /// The next request is answered by a stream.
    pub fn streams(&self, steps: &[Step]) {
        self.will(Answer::Stream(steps.to_vec()));
    }

    /// Lets one waiting answer go on.
    pub fn go_on(&self) {
        self.gate.add_permits(1);
    }

    pub fn requests(&self) -> usize {
        self.asked.lock().expect("no holder panics").len()
    }

    /// The last prompt, as the model would read it.
    pub fn last_prompt(&self) -> String {
        let asked = self.asked.lock().expect("no holder panics");
        let messages = asked.last().expect("asked")["messages"].as_array().expect("messages").clone();
        messages.iter().map(|m| format!("{}: {}\n", m["role"], m["content"])).collect()
    }
}

fn chunk(delta: &Value, finish: &Value) -> String {
    let body = json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] });
    format!("data: {body}\n\n")
}

async fn answer(State(model): State<Model>, headers: HeaderMap, Json(body): Json<Value>) -> Response {
    model.asked.lock().expect("no holder panics").push(body);
    let key = headers.get("authorization").and_then(|v| v.to_str().ok()).unwrap_or_default();
    model.keys.lock().expect("no holder panics").push(key.to_owned());
    let answer = model.answers.lock().expect("no holder panics").pop_front();
    let steps = match answer.expect("the test says what the model answers") {
        Answer::Stream(steps) => steps,
        Answer::Status(status, retry_after) => {
            let status = StatusCode::from_u16(status).expect("a status");
            let mut response = (status, "{\"error\":{\"message\":\"no\"}}").into_response();
            if let Some(seconds) = retry_after {
                response.headers_mut().insert("retry-after", seconds.parse().expect("a number"));
            }
            return response;
        }
        Answer::Refusal(status, body) => {
            return (StatusCode::from_u16(status).expect("a status"), body).into_response();
        }
    };
    let gate = model.gate.clone();
    let body = stream::iter(steps).then(move |step| {
        let gate = gate.clone();
        async move {
            let text = match step {
                Step::Say(text) => chunk(&json!({ "content": text }), &Value::Null),
                Step::Raw(text) => text.to_owned(),
                Step::Wait => {
                    gate.acquire().await.expect("open").forget();
                    ": gone on\n\n".to_owned()
                }
                Step::Finish => format!(
                    "{}data: {}\n\ndata: [DONE]\n\n",
                    chunk(&json!({}), &json!("stop")),
                    json!({ "choices": [], "usage": { "prompt_tokens": 321, "completion_tokens": 12 } }),
                ),
            };
            Ok::<_, Infallible>(Bytes::from(text))
        }
    });
    ([("content-type", "text/event-stream")], Body::from_stream(body.boxed())).into_response()
}
