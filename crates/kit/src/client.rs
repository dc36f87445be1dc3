//! Calls to other services: balanced, with the caller's bearer, the deadline and the trace of the
//! request they are made for, repeated where that is safe.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use http::{HeaderValue, Request, Response};
use http_body_util::BodyExt as _;
use rand::Rng as _;
use tonic::{Code, Status, body::Body};
use tower::{Service, ServiceExt as _};

use crate::{
    caller, deadline, dns,
    error::Failure,
    measure::{Call, Side},
    telemetry,
};

/// Mean pause before a repetition.
const PAUSE: Duration = Duration::from_millis(50);
/// How often a call may be begun of which nothing was ever sent: of several replicas those that have just ended refuse
/// it at once, and chance may choose the same one again.
const BEGINNINGS: u32 = 4;
/// Largest message of a call, both ways; whoever carries pictures sets it on client and server.
pub const MAX_MESSAGE: usize = 16 * 1024 * 1024;
/// Bytes of the export of an account at most.
pub const MAX_EXPORT: usize = 256 * 1024 * 1024;

/// A channel to one service. Cheap to clone.
#[derive(Clone)]
pub struct Channel(tonic::transport::Channel);

/// A channel to the service at `url` (`http://host:port`; several with commas between them are its replicas);
/// connects when it is first used.
///
/// # Errors
/// When the address is malformed.
pub fn channel(url: &str) -> anyhow::Result<Channel> {
    Ok(Channel(dns::balanced(url)?))
}

impl Service<Request<Body>> for Channel {
    type Response = Response<Body>;
    type Error = tonic::transport::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        // Readiness is awaited inside the call, where the deadline holds.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        carry(&mut request);
        let left = deadline::for_next_hop();
        let inner = self.0.clone();
        let call = Call::begin(Side::Client, request.uri().path());
        Box::pin(async move {
            let work = send(inner, request);
            let answer = match left {
                Some(left) => tokio::time::timeout(left, work).await.unwrap_or_else(|_| Ok(too_late())),
                None => work.await,
            };
            match answer {
                Ok(response) => Ok(call.answered(response)),
                Err(error) => {
                    call.failed(Code::Unavailable);
                    Err(error)
                }
            }
        })
    }
}

async fn once(
    mut channel: tonic::transport::Channel,
    request: Request<Body>,
) -> Result<Response<Body>, tonic::transport::Error> {
    channel.ready().await?.call(request).await
}

/// Sends the request: again while nothing of it ever left this process, and once more when the service broke off or
/// said that it is unavailable, where the contract says that this is safe.
async fn send(
    channel: tonic::transport::Channel,
    request: Request<Body>,
) -> Result<Response<Body>, tonic::transport::Error> {
    let mut repeatable = proto::REPEATABLE.binary_search(&request.uri().path()).is_ok();
    let (parts, body) = request.into_parts();
    // No contract has requests that are streams: this is one message.
    let Ok(body) = body.collect().await else {
        return Ok(Status::internal("a request body that breaks off").into_http());
    };
    let body = body.to_bytes();
    let mut begun = 1;
    loop {
        let mut request = Request::new(Body::new(http_body_util::Full::new(body.clone())));
        *request.method_mut() = parts.method.clone();
        *request.uri_mut() = parts.uri.clone();
        *request.version_mut() = parts.version;
        *request.headers_mut() = parts.headers.clone();
        let answer = once(channel.clone(), request).await;
        let again = match &answer {
            Err(error) if never_sent(error) => begun < BEGINNINGS,
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

fn says_unavailable(answer: &Response<Body>) -> bool {
    Status::from_header_map(answer.headers()).is_some_and(|status| status.code() == Code::Unavailable)
}

/// There was no connection to send it by.
fn never_sent(error: &tonic::transport::Error) -> bool {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    std::iter::from_fn(|| {
        let this = cause?;
        cause = this.source();
        Some(this)
    })
    .any(|cause| {
        cause.is::<tonic::ConnectError>()
            || cause.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_canceled)
    })
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
    // tonic's `Endpoint::timeout` sends no deadline, so it is written here.
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
