//! Calls to other services: balanced, with the caller's bearer, the deadline and the trace of the
//! request they are made for, repeated once where the contract says that it is safe.

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

/// Mean pause before the one repetition.
const PAUSE: Duration = Duration::from_millis(50);
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
            let repeatable = proto::REPEATABLE.binary_search(&request.uri().path()).is_ok();
            let work =
                async { if repeatable { twice(inner, request).await } else { once(inner, request).await } };
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

/// Sends the request, and once more when the service could not be reached or said so.
async fn twice(
    channel: tonic::transport::Channel,
    request: Request<Body>,
) -> Result<Response<Body>, tonic::transport::Error> {
    let (parts, body) = request.into_parts();
    let Ok(body) = body.collect().await else {
        return Ok(Status::internal("a request body that breaks off").into_http());
    };
    let body = body.to_bytes();
    let make = || {
        let whole = http_body_util::Full::new(body.clone());
        let mut request = Request::new(Body::new(whole));
        *request.method_mut() = parts.method.clone();
        *request.uri_mut() = parts.uri.clone();
        *request.version_mut() = parts.version;
        *request.headers_mut() = parts.headers.clone();
        request
    };
    let first = once(channel.clone(), make()).await;
    let unavailable = match &first {
        Err(_) => true,
        Ok(response) => {
            Status::from_header_map(response.headers()).is_some_and(|s| s.code() == Code::Unavailable)
        }
    };
    if !unavailable {
        return first;
    }
    let pause = PAUSE.mul_f64(rand::rng().random_range(0.5..1.5));
    tokio::time::sleep(pause).await;
    once(channel, make()).await
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
