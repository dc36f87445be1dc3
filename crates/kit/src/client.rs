//! Calls to other services: balanced, with the caller's bearer, the deadline and the trace of the
//! request they are made for, repeated where that is safe.

use std::{
    error::Error,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use h2::Reason;
use http::{HeaderValue, Request, Response, Uri, request::Parts, uri::Scheme};
use http_body_util::{BodyExt as _, Full};
use hyper_util::{
    client::legacy::{self, connect::HttpConnector},
    rt::{TokioExecutor, TokioIo, TokioTimer},
};
use rand::Rng as _;
use tokio::net::TcpStream;
use tonic::{Code, Status, body::Body};
use tower::Service;

use crate::{
    caller, deadline,
    error::Failure,
    measure::{Call, Side},
    replicas::Replicas,
    telemetry,
    together::Together,
};

/// How long a connection may take to be made: less than the shortest deadline, so that another replica can still be asked.
const CONNECT: Duration = Duration::from_secs(1);
/// After so long without a word the other end is asked whether it lives …
const ASK: Duration = Duration::from_secs(15);
/// … and has so long to answer.
const ANSWER: Duration = Duration::from_secs(5);
/// A connection that nobody used for so long is closed: its replica may be gone.
const IDLE: Duration = Duration::from_secs(10 * 60);

/// Mean pause before a repetition.
const PAUSE: Duration = Duration::from_millis(50);
/// How often a call may be begun that nobody has taken up: of several replicas those that have just ended refuse it at
/// once, and two may have ended.
pub const BEGINNINGS: u32 = 4;
/// Largest message of a call, both ways; whoever carries pictures sets it on client and server.
pub const MAX_MESSAGE: usize = 16 * 1024 * 1024;
/// Bytes of the export of an account at most.
pub const MAX_EXPORT: usize = 256 * 1024 * 1024;

type BoxError = Box<dyn Error + Send + Sync>;

/// A channel to one service, with one connection to each of its replicas. Cheap to clone.
#[derive(Clone)]
pub struct Channel {
    replicas: Replicas,
    http: legacy::Client<Connector, Full<Bytes>>,
}

/// A channel to the service at `url` (`http://host:port`; several with commas between them are its replicas);
/// connects when it is first used.
///
/// # Errors
/// When the address is malformed.
pub fn channel(url: &str) -> anyhow::Result<Channel> {
    let mut sockets = HttpConnector::new();
    sockets.set_nodelay(true);
    sockets.set_connect_timeout(Some(CONNECT));
    let replicas = Replicas::follow(url)?;
    let http = legacy::Client::builder(TokioExecutor::new())
        .timer(TokioTimer::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE)
        .http2_only(true)
        .http2_keep_alive_interval(ASK)
        .http2_keep_alive_timeout(ANSWER)
        .http2_keep_alive_while_idle(true)
        .build(Connector { sockets, replicas: replicas.clone() });
    Ok(Channel { replicas, http })
}

/// Makes connections to replicas.
#[derive(Clone)]
struct Connector {
    sockets: HttpConnector,
    replicas: Replicas,
}

impl Service<Uri> for Connector {
    type Response = TokioIo<Together<TcpStream>>;
    type Error = <HttpConnector as Service<Uri>>::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.sockets.poll_ready(cx)
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        let (replicas, socket) = (self.replicas.clone(), self.sockets.call(to.clone()));
        Box::pin(async move {
            let socket = replicas.connecting(to.authority(), socket).await?;
            Ok(TokioIo::new(Together::new(socket.into_inner())))
        })
    }
}

impl Service<Request<Body>> for Channel {
    type Response = Response<Body>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        // A connection is awaited inside the call, where the deadline holds.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        carry(&mut request);
        let left = deadline::for_next_hop();
        let channel = self.clone();
        let call = Call::begin(Side::Client, request.uri().path());
        Box::pin(async move {
            let work = channel.send(request);
            let answer = match left {
                Some(left) => tokio::time::timeout(left, work).await.unwrap_or_else(|_| Ok(too_late())),
                None => work.await,
            };
            match answer {
                Ok(response) => Ok(call.answered(response)),
                Err(error) => {
                    call.failed(Code::Unavailable);
                    Err(broke(&error).into())
                }
            }
        })
    }
}

impl Channel {
    /// Sends the request: again while no replica has taken it up, and once more when the service broke off or said that it
    /// is unavailable, where the contract says that this is safe.
    async fn send(&self, request: Request<Body>) -> Result<Response<Body>, legacy::Error> {
        let mut repeatable = proto::REPEATABLE.binary_search(&request.uri().path()).is_ok();
        let (parts, body) = request.into_parts();
        // No contract has requests that are streams: this is one message.
        let Ok(body) = body.collect().await else {
            return Ok(Status::internal("a request body that breaks off").into_http());
        };
        let body = body.to_bytes();
        let mut begun = 1;
        loop {
            let Some(request) = self.addressed(&parts, body.clone()).await else {
                return Ok(Status::internal("a call that leads nowhere").into_http());
            };
            let answer = self.http.request(request).await;
            let answer =
                answer.map(|answer| answer.map(|body| Body::new(body.map_err(|error| broke(&error)))));
            let again = match &answer {
                Err(error) if never_begun(error) => begun < BEGINNINGS,
                Err(_) => std::mem::take(&mut repeatable),
                Ok(answer) if says_unavailable(answer) => std::mem::take(&mut repeatable),
                Ok(_) => false,
            };
            if !again {
                return answer;
            }
            begun += 1;
            let pause = PAUSE.mul_f64(rand::rng().random_range(0.5..1.5));
            tokio::time::sleep(pause).await;
        }
    }

    /// The request to the next replica in turn.
    async fn addressed(&self, parts: &Parts, body: Bytes) -> Option<Request<Full<Bytes>>> {
        let mut uri = parts.uri.clone().into_parts();
        uri.scheme = Some(Scheme::HTTP);
        uri.authority = Some(self.replicas.next().await?.authority.clone());
        let mut request = Request::new(Full::new(body));
        *request.uri_mut() = Uri::from_parts(uri).ok()?;
        *request.method_mut() = parts.method.clone();
        *request.version_mut() = parts.version;
        *request.headers_mut() = parts.headers.clone();
        Some(request)
    }
}

fn says_unavailable(answer: &Response<Body>) -> bool {
    Status::from_header_map(answer.headers()).is_some_and(|status| status.code() == Code::Unavailable)
}

/// There was no connection to send it by, or the other end says that it has not taken it up: one that is leaving, by the
/// last that it takes up (RFC 9113, section 6.8), and one that has too much to do (section 8.7).
fn never_begun(error: &legacy::Error) -> bool {
    error.is_connect()
        || causes(error).any(|cause| {
            let (sender, peer) = (cause.downcast_ref::<hyper::Error>(), cause.downcast_ref::<h2::Error>());
            sender.is_some_and(hyper::Error::is_canceled) || peer.is_some_and(has_not_taken_up)
        })
}

fn has_not_taken_up(error: &h2::Error) -> bool {
    let by_leaving = error.is_go_away() && error.reason() == Some(Reason::NO_ERROR);
    error.is_remote() && (by_leaving || error.reason() == Some(Reason::REFUSED_STREAM))
}

/// The error and what it comes from.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

/// What is told of a connection that cannot be had, or that broke, whatever HTTP/2 calls it: no fault of the request, and
/// no error of ours.
fn broke(error: &(dyn Error + 'static)) -> Status {
    let why = causes(error).map(ToString::to_string).collect::<Vec<_>>().join(": ");
    let failure = Failure::unavailable("a service whose connection broke");
    Failure { message: format!("{}: {why}", failure.message), ..failure }.into()
}

/// Adds what the request in hand carries: bearer, deadline, idempotency key, trace.
fn carry(request: &mut Request<Body>) {
    let context = caller::current();
    let headers = request.headers_mut();
    if let Some(bearer) = &context.bearer
        && !headers.contains_key(http::header::AUTHORIZATION)
        && let Ok(mut value) = HeaderValue::from_str(&format!("Bearer {bearer}"))
    {
        value.set_sensitive(true);
        headers.insert(http::header::AUTHORIZATION, value);
    }
    if let Some(key) = &context.idempotency_key
        && !headers.contains_key("idempotency-key")
        && let Ok(value) = HeaderValue::from_str(key)
    {
        headers.insert("idempotency-key", value);
    }
    // Nobody else sends a deadline.
    if let Some(left) = deadline::for_next_hop()
        && let Ok(value) = HeaderValue::from_str(&format!("{}m", left.as_millis().min(99_999_999)))
    {
        headers.insert("grpc-timeout", value);
    }
    if let Some(trace) = telemetry::traceparent()
        && let Ok(value) = HeaderValue::from_str(&trace)
    {
        headers.insert("traceparent", value);
    }
}

fn too_late() -> Response<Body> {
    Status::from(Failure::new(Code::DeadlineExceeded, "unavailable", "no answer within the deadline"))
        .into_http()
}
