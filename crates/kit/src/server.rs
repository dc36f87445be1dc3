//! A gRPC server of the house: health, reflection, identity, deadlines, traces, metrics, an orderly end.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use anyhow::Context as _;
use futures::TryStreamExt as _;
use http::{Request, Response};
use tokio::{net::TcpListener, time::Instant};
use tonic::{
    Code, Status,
    body::Body,
    server::NamedService,
    service::{Routes, RoutesBuilder},
    transport::server::TcpIncoming,
};
use tonic_health::ServingStatus;
use tower::{Layer, Service};
use tracing::{Instrument as _, Span};

use crate::{
    auth::{Refused, Verifier},
    caller::{self, Caller},
    deadline,
    error::Failure,
    health::Readiness,
    measure::{Call, Side},
    shutdown::Shutdown,
    telemetry,
    together::Together,
};

pub use crate::client::MAX_MESSAGE;

/// Services that no bearer is looked at for.
const OPEN: [&str; 2] = ["/grpc.health.v1.", "/grpc.reflection."];

/// The services that a process serves.
#[derive(Default)]
pub struct Services(RoutesBuilder);

impl Services {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "a builder's verb, as in tonic")]
    pub fn add<S>(mut self, service: S) -> Self
    where
        S: Service<Request<Body>, Error = Infallible> + NamedService + Clone + Send + Sync + 'static,
        S::Response: axum::response::IntoResponse,
        S::Future: Send + 'static,
    {
        self.0.add_service(service);
        self
    }
}

/// Serves until shutdown, where health says NOT_SERVING as soon as nobody new should come; then what runs may finish
/// within `grace`.
pub(crate) async fn serve(
    listener: TcpListener,
    services: Services,
    verifier: Verifier,
    readiness: Readiness,
    grace: Duration,
    shutdown: Shutdown,
) -> anyhow::Result<()> {
    let (health, health_service) = tonic_health::server::health_reporter();
    health.set_service_status("", ServingStatus::NotServing).await;
    let reflection = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(proto::DESCRIPTORS)
        .build_v1()
        .context("the descriptors of the contracts are broken")?;
    let routes: Routes = services.add(health_service).add(reflection).0.routes();

    tokio::spawn({
        let shutdown = shutdown.clone();
        async move {
            tokio::select! {
                () = readiness.reached() => {
                    health.set_service_status("", ServingStatus::Serving).await;
                    tracing::info!("ready");
                    shutdown.wait_leaving().await;
                }
                () = shutdown.wait_leaving() => {}
            }
            health.set_service_status("", ServingStatus::NotServing).await;
        }
    });

    let overdue = {
        let shutdown = shutdown.clone();
        async move { shutdown.overdue(grace).await }
    };
    // Without TCP_NODELAY a stream of small chunks was measured 40 ms late.
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true)).map_ok(Together::new);
    let server = tonic::transport::Server::builder()
        .http2_keepalive_interval(Some(Duration::from_secs(20)))
        .http2_keepalive_timeout(Some(Duration::from_secs(10)))
        .layer(HouseLayer { verifier })
        .add_routes(routes)
        .serve_with_incoming_shutdown(incoming, shutdown.wait_owned());
    tokio::select! {
        ended = server => {
            ended.context("the gRPC server ended")?;
            tracing::info!("all requests finished");
        }
        () = overdue => tracing::warn!(grace_s = grace.as_secs(), "requests were cut after the grace period"),
    }
    Ok(())
}

/// What every request passes: who calls, by when, as part of which trace, and how it ended.
#[derive(Clone)]
struct HouseLayer {
    verifier: Verifier,
}

impl<S> Layer<S> for HouseLayer {
    type Service = HouseService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        HouseService { inner, verifier: self.verifier.clone() }
    }
}

#[derive(Clone)]
struct HouseService<S> {
    inner: S,
    verifier: Verifier,
}

impl<S> Service<Request<Body>> for HouseService<S>
where
    S: Service<Request<Body>, Response = Response<Body>> + Clone + Send + 'static,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let ready = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, ready);
        let path = request.uri().path().to_owned();
        if OPEN.iter().any(|open| path.starts_with(open)) {
            return Box::pin(inner.call(request));
        }

        let call = Call::begin(Side::Server, &path);
        let admitted = admit(&self.verifier, &request, &path);
        let user = admitted.as_ref().ok().and_then(|context| match &context.caller {
            Caller::User(user) => Some(tracing::field::display(user.id)),
            _ => None,
        });
        let span = tracing::info_span!(
            "rpc",
            otel.name = %path,
            otel.kind = "server",
            otel.status_code = tracing::field::Empty,
            user.id = user,
        );
        if let Some(parent) = request.headers().get("traceparent").and_then(|v| v.to_str().ok()) {
            telemetry::continue_trace(&span, parent);
        }
        let context = match admitted {
            Ok(context) => context,
            Err(refusal) => {
                note(&span, refusal.code);
                let answer = call.answered(Status::from(refusal).into_http());
                return Box::pin(async move { Ok(answer) });
            }
        };
        request.extensions_mut().insert(context.caller.clone());

        Box::pin(async move {
            let deadline = context.deadline;
            let work = caller::scope(context, inner.call(request)).instrument(span.clone());
            let answer = match deadline {
                Some(at) => match tokio::time::timeout_at(at, work).await {
                    Ok(answer) => answer,
                    Err(_) => Ok(Status::deadline_exceeded("no answer within the deadline").into_http()),
                },
                None => work.await,
            };
            answer.map(|response| {
                // A stream's end comes later, in its trailers; this is how it began.
                note(&span, Status::from_header_map(response.headers()).map_or(Code::Ok, |s| s.code()));
                call.answered(response)
            })
        })
    }
}

/// Who calls and by when, or why the request is not begun at all.
fn admit(verifier: &Verifier, request: &Request<Body>, path: &str) -> Result<caller::Context, Failure> {
    let text = |name: &str| request.headers().get(name).and_then(|v| v.to_str().ok());
    let mut context = caller::Context::default();
    if let Some(value) = text("authorization") {
        let token: Arc<str> = value.strip_prefix("Bearer ").ok_or_else(Failure::unauthenticated)?.into();
        let user = verifier.verify(&token).map_err(|why| {
            tracing::debug!(%why, "token refused");
            match why {
                // To be told that one is not logged in would log one out.
                Refused::NoKeys => Failure::unavailable("the keys of auth"),
                _ => Failure::unauthenticated(),
            }
        })?;
        if verifier.revocations().stale() && proto::READ_ONLY.binary_search(&path).is_err() {
            return Err(Failure::unavailable("the list of revocations"));
        }
        context.caller = Caller::User(user);
        context.bearer = Some(token);
    }
    if let Some(timeout) = text("grpc-timeout").and_then(deadline::parse) {
        if timeout < deadline::TOO_LATE {
            return Err(Failure::new(Code::DeadlineExceeded, "unavailable", "too late to begin"));
        }
        context.deadline = Some(Instant::now() + timeout);
    }
    Ok(context)
}

/// Writes into the span how the call ended; what is the service's own fault makes the span a failed one.
fn note(span: &Span, code: Code) {
    telemetry::tell(span, "rpc.code", format!("{code:?}"));
    let own = [Code::Unknown, Code::DeadlineExceeded, Code::Internal, Code::Unavailable, Code::DataLoss]
        .contains(&code);
    if own {
        span.record("otel.status_code", "ERROR");
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::watch;
    use tonic::Code;

    use super::*;
    use crate::auth::{KeySet, Revocations};

    #[test]
    fn who_cannot_be_judged_yet_is_not_told_to_log_in() {
        // A key's name and no signature worth looking at: without any key it would not be looked at.
        let token = "eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCIsImtpZCI6Im9uZSJ9.e30.c2ln";
        let request = Request::builder().header("authorization", format!("Bearer {token}"));
        let request = request.body(Body::empty()).expect("a request");
        let (_auth, keys) = watch::channel(KeySet::default());
        let verifier = Verifier::new(keys, Revocations::default());
        let refused = admit(&verifier, &request, "/chat.v1.Chats/OpenChat").expect_err("refused");
        assert_eq!((refused.code, refused.reason.as_str()), (Code::Unavailable, "unavailable"));
    }
}
