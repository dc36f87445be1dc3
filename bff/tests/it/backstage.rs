//! The services behind the BFF: any gRPC method, answered by a closure; what is not set is UNIMPLEMENTED.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::Request,
    response::Response,
};
use futures::{StreamExt as _, stream, stream::BoxStream};
use http::{HeaderMap, HeaderValue};
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody};
use prost::Message;
use proto::auth::v1::ListRevocationsResponse;
use tonic::{Status, service::Routes};

type Messages = BoxStream<'static, Result<Vec<u8>, Status>>;
type Answer = Arc<dyn Fn(Bytes) -> Messages + Send + Sync>;

/// A call that came in.
#[derive(Clone)]
pub struct Call {
    pub method: String,
    pub headers: HeaderMap,
    body: Bytes,
}

impl Call {
    pub fn read<T: Message + Default>(&self) -> T {
        T::decode(self.body.clone()).expect("the message of the method")
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("text"))
    }
}

/// All five services at one address.
#[derive(Clone, Default)]
pub struct Backstage {
    answers: Arc<Mutex<HashMap<String, Answer>>>,
    calls: Arc<Mutex<Vec<Call>>>,
    obliging: Arc<AtomicBool>,
}

impl Backstage {
    /// Serves; nothing is answered yet but the (empty) list of revocations.
    pub async fn open() -> (Self, String) {
        let stage = Self::default();
        stage.says("auth.v1.Keys/ListRevocations", ListRevocationsResponse::default());
        let serving = stage.clone();
        let router = Router::new().fallback(move |request: Request| {
            let stage = serving.clone();
            async move { stage.take(request).await }
        });
        let url = kit::testing::fake(Routes::from(router)).await;
        (stage, url)
    }

    /// Answers `troupe.<method>` by a closure.
    pub fn on<Q, A>(&self, method: &str, answer: impl Fn(Q) -> Result<A, Status> + Send + Sync + 'static)
    where
        Q: Message + Default,
        A: Message,
    {
        self.set(method, move |body| {
            let request = Q::decode(body).expect("the message of the method");
            let answer = answer(request).map(|a| a.encode_to_vec());
            stream::once(std::future::ready(answer)).boxed()
        });
    }

    /// Answers the same, whatever is asked.
    pub fn says<A: Message + Clone + 'static>(&self, method: &str, answer: A) {
        let bytes = answer.encode_to_vec();
        self.set(method, move |_| stream::once(std::future::ready(Ok(bytes.clone()))).boxed());
    }

    /// Refuses, whatever is asked.
    pub fn refuses(&self, method: &str, refusal: impl Into<Status>) {
        let status = refusal.into();
        self.set(method, move |_| stream::once(std::future::ready(Err(status.clone()))).boxed());
    }

    /// Answers with a stream.
    pub fn streams<A: Message + 'static>(
        &self,
        method: &str,
        answer: impl Fn() -> BoxStream<'static, Result<A, Status>> + Send + Sync + 'static,
    ) {
        self.set(method, move |_| answer().map(|m| m.map(|m| m.encode_to_vec())).boxed());
    }

    /// From now on whatever is not set is answered by a message in which nothing is set.
    pub fn answers_everything(&self) {
        self.obliging.store(true, Ordering::Relaxed);
    }

    fn set(&self, method: &str, answer: impl Fn(Bytes) -> Messages + Send + Sync + 'static) {
        self.answers.lock().expect("no holder panics").insert(format!("/troupe.{method}"), Arc::new(answer));
    }

    /// Calls of `troupe.<method>` so far.
    pub fn calls(&self, method: &str) -> Vec<Call> {
        let method = format!("/troupe.{method}");
        let calls = self.calls.lock().expect("no holder panics");
        calls.iter().filter(|call| call.method == method).cloned().collect()
    }

    /// The one call of `troupe.<method>`.
    pub fn call(&self, method: &str) -> Call {
        let mut calls = self.calls(method);
        assert_eq!(calls.len(), 1, "{method} is called once");
        calls.remove(0)
    }

    /// Takes all calls so far, as method and message, but for those that no request causes.
    pub fn take_calls(&self) -> Vec<(String, Bytes)> {
        let calls = std::mem::take(&mut *self.calls.lock().expect("no holder panics"));
        let asked = calls.into_iter().filter(|call| !call.method.starts_with("/troupe.auth.v1.Keys/"));
        asked.map(|call| (call.method, call.body)).collect()
    }

    async fn take(&self, request: Request) -> Response {
        let (parts, body) = request.into_parts();
        let method = parts.uri.path().to_owned();
        let body = body.collect().await.map(|b| b.to_bytes()).unwrap_or_default();
        // Five bytes of framing come before the one message of a request.
        let body = body.slice(5.min(body.len())..);
        let call = Call { method: method.clone(), headers: parts.headers, body: body.clone() };
        self.calls.lock().expect("no holder panics").push(call);
        let answer = self.answers.lock().expect("no holder panics").get(&method).cloned();
        match answer {
            Some(answer) => respond(answer(body)).await,
            None if self.obliging.load(Ordering::Relaxed) => {
                respond(stream::once(std::future::ready(Ok(Vec::new()))).boxed()).await
            }
            None => Status::unimplemented(method).into_http(),
        }
    }
}

async fn respond(mut messages: Messages) -> Response {
    let first = match messages.next().await {
        Some(Err(status)) => return status.into_http(),
        Some(Ok(message)) => Some(Ok(message)),
        None => None,
    };
    let frames = stream::iter(first).chain(messages).map(Some).chain(stream::once(std::future::ready(None)));
    let frames = frames.scan(false, |ended, next| {
        let frame = match next {
            _ if *ended => None,
            Some(Ok(message)) => Some(Frame::data(framed(&message))),
            Some(Err(status)) => {
                *ended = true;
                Some(Frame::trailers(status.into_http::<Body>().headers().clone()))
            }
            None => {
                *ended = true;
                Some(Frame::trailers(HeaderMap::from_iter([(
                    "grpc-status".parse().expect("a name"),
                    HeaderValue::from_static("0"),
                )])))
            }
        };
        std::future::ready(frame)
    });
    let body = Body::new(StreamBody::new(frames.map(Ok::<_, std::convert::Infallible>)));
    let mut response = Response::new(body);
    response.headers_mut().insert("content-type", HeaderValue::from_static("application/grpc"));
    response
}

fn framed(message: &[u8]) -> Bytes {
    let mut bytes = vec![0];
    bytes.extend(u32::try_from(message.len()).expect("small").to_be_bytes());
    bytes.extend(message);
    bytes.into()
}
