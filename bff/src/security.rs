//! The gate that every request passes, and the headers that every answer carries.

use std::{net::SocketAddr, sync::Arc, time::Instant};

use axum::{
    extract::{ConnectInfo, MatchedPath, Request, State as Shared},
    http::{HeaderMap, HeaderName, HeaderValue, Method, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use kit::{
    auth::Refused,
    caller::{self, Caller, Context},
    deadline, telemetry,
};
use tracing::Instrument as _;

use crate::{
    State,
    errors::{Answer, Problem},
    extract::client_address,
    limits::{READ_OUT_BYTES, READ_OUT_TIME},
    routes::{self, Access},
};

/// Nothing from elsewhere, nothing inline.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'self'; script-src 'self'; style-src 'self'; \
     img-src 'self' blob: data:; connect-src 'self'; font-src 'self'; object-src 'none'; base-uri 'none'; \
     worker-src 'self'; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'";

/// Headers of every answer. (Envoy adds HSTS, where there is TLS.)
const HEADERS: [(&str, &str); 6] = [
    ("content-security-policy", CONTENT_SECURITY_POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "strict-origin-when-cross-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    (
        "permissions-policy",
        "camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()",
    ),
    ("x-frame-options", "DENY"),
];

/// Writes [`HEADERS`]; what `/api` answers is not kept unless it says so, and in no index: crawlers that render pages
/// may read it, so `robots.txt` does not forbid it.
pub async fn headers(request: Request, next: Next) -> Response {
    let private =
        ["/api", "/sandbox/", "/dev/", "/webhooks/"].iter().any(|p| request.uri().path().starts_with(p));
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    if private {
        headers.insert(HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex"));
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    }
    response
}

/// Carries the id by which a person who tells of an error and the log speak of the same request.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The id that the browser or the edge gave, where it is one (at most 64 letters, figures and hyphens); else a new one.
fn request_id(headers: &HeaderMap) -> HeaderValue {
    let plain = |id: &&HeaderValue| {
        (1..=64).contains(&id.len()) && id.as_bytes().iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-')
    };
    headers
        .get(REQUEST_ID)
        .filter(plain)
        .cloned()
        .unwrap_or_else(|| HeaderValue::from_str(&uuid::Uuid::now_v7().to_string()).expect("an id is ASCII"))
}

/// The method, or one word for all that nobody serves: anybody can make methods up, and each would be counted apart for
/// as long as the process runs.
fn known(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        "OPTIONS" => "OPTIONS",
        _ => "other",
    }
}

/// One span and one count per request, by its route; never by its address, which may hold names.
pub async fn observe(request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map_or("web", MatchedPath::as_str).to_owned();
    let method = known(request.method());
    let id = request_id(request.headers());
    let span = tracing::info_span!("http", otel.name = %format!("{method} {route}"), http.method = method, http.route = %route,
        otel.kind = "server", otel.status_code = tracing::field::Empty, request.id = ?id);
    if let Some(parent) = request.headers().get("traceparent").and_then(|v| v.to_str().ok()) {
        telemetry::continue_trace(&span, parent);
    }
    let began = Instant::now();
    let mut response = next.run(request).instrument(span.clone()).await;
    response.headers_mut().insert(REQUEST_ID, id);
    let status = response.status();
    telemetry::tell(&span, "http.status", i64::from(status.as_u16()));
    if status.is_server_error() {
        span.record("otel.status_code", "ERROR");
    }
    let status = status.as_u16().to_string();
    metrics::counter!("http_requests_total", "method" => method, "route" => route.clone(), "status" => status)
        .increment(1);
    metrics::histogram!("http_request_seconds", "method" => method, "route" => route).record(began.elapsed());
    response
}

/// The bearer of a request; `Err` when the header is there and holds none.
fn bearer(headers: &HeaderMap) -> Answer<Option<Arc<str>>> {
    let Some(value) = headers.get(header::AUTHORIZATION) else { return Ok(None) };
    let token = value.to_str().ok().and_then(|text| {
        let (scheme, token) = text.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    });
    match token {
        Some(token) if !token.is_empty() => Ok(Some(token.into())),
        _ => Err(Problem::of("unauthenticated")),
    }
}

/// Who calls, by the token alone.
fn identify(app: &State, headers: &HeaderMap) -> Answer<(Caller, Option<Arc<str>>)> {
    let Some(token) = bearer(headers)? else { return Ok((Caller::Visitor, None)) };
    match app.verifier.verify(&token) {
        Ok(user) => Ok((Caller::User(user), Some(token))),
        // Without any key yet nobody can be judged; a 401 would log people out.
        Err(Refused::NoKeys) => Err(Problem::of("unavailable")),
        Err(refused) => {
            tracing::debug!(%refused, "token refused");
            Err(Problem::of("unauthenticated"))
        }
    }
}

fn idempotency_key(headers: &HeaderMap) -> Answer<Option<Arc<str>>> {
    match headers.get("idempotency-key").map(|value| value.to_str()) {
        None => Ok(None),
        Some(Ok(key)) if caller::valid_key(key) => Ok(Some(key.into())),
        Some(_) => Err(Problem::field("Idempotency-Key", "Between 1 and 255 visible ASCII characters.")),
    }
}

/// Identity, rate and deadline, in this order; what [`routes::OPEN`] does not list needs a user.
pub async fn gate(
    Shared(app): Shared<State>,
    matched: MatchedPath,
    request: Request,
    next: Next,
) -> Response {
    let method = if request.method() == Method::HEAD { Method::GET } else { request.method().clone() };
    let path = matched.as_str();
    let access = routes::access(&method, path);
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| *peer);
    let address = client_address(request.headers(), peer, app.config.forwarded_hops);

    let identified = match access {
        Access::Anyone => Ok((Caller::Visitor, None)),
        Access::Visitors | Access::Users => identify(&app, request.headers()),
    };
    let user = match &identified {
        Ok((Caller::User(user), _)) => Some(user.id),
        _ => None,
    };
    let standing = app.limiter.take(routes::group(&method, path), user, address).await;
    let mut response = match standing {
        Some(standing) if !standing.allowed => {
            read_out(request).await;
            told(Problem::of("rate_limited").retry_after(standing.retry), path).into_response()
        }
        _ => match admit(&app, &method, path, access, identified, request, next).await {
            Ok(response) => response,
            Err(problem) => told(problem, path).into_response(),
        },
    };
    if let Some(standing) = standing {
        standing.write(response.headers_mut());
    }
    response
}

/// Reads a small body to its end before it is refused: whoever is still sending would meet a closed connection in
/// place of the answer.
async fn read_out(request: Request) {
    let body = axum::body::to_bytes(request.into_body(), READ_OUT_BYTES);
    let _ = tokio::time::timeout(READ_OUT_TIME, body).await;
}

fn told(problem: Problem, path: &str) -> Problem {
    if routes::under_data(path) { problem.also_under_data() } else { problem }
}

async fn admit(
    app: &State,
    method: &Method,
    path: &str,
    access: Access,
    identified: Answer<(Caller, Option<Arc<str>>)>,
    mut request: Request,
    next: Next,
) -> Answer<Response> {
    let known = identified.and_then(|(caller, bearer)| {
        let visitor = caller == Caller::Visitor;
        if visitor && access == Access::Users {
            return Err(Problem::of("unauthenticated"));
        }
        // A revocation may have been missed: reads go on, changes wait.
        if !visitor && *method != Method::GET && app.verifier.revocations().stale() {
            return Err(Problem::of("unavailable"));
        }
        Ok((caller, bearer))
    });
    let (caller, bearer) = match known {
        Ok(known) => known,
        Err(refused) => {
            read_out(request).await;
            return Err(refused);
        }
    };
    let idempotency_key = idempotency_key(request.headers())?;
    request.extensions_mut().insert(caller.clone());
    let context = Context { caller, bearer, deadline: None, idempotency_key };
    let work = next.run(request);
    Ok(match routes::patience(method, path) {
        Some(limit) => caller::scope(context, deadline::within(limit, work)).await,
        None => caller::scope(context, work).await,
    })
}
