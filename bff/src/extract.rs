//! What handlers take from a request; every refusal has the one shape of an error.

use std::net::{IpAddr, SocketAddr};

use axum::{
    body::Bytes,
    extract::{
        ConnectInfo, FromRequest, FromRequestParts, Path, Query, Request,
        rejection::{PathRejection, QueryRejection},
    },
    http::{HeaderMap, StatusCode, header, request::Parts},
};
use kit::caller::{Caller, User};
use percent_encoding::percent_decode_str;
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::{
    State,
    errors::{Answer, Problem},
};

const NOT_UTF8: &str = "Contains characters that cannot be shown (not UTF-8).";

/// A JSON body.
pub struct JsonBody<T>(pub T);

/// The query of the address.
pub struct QueryArgs<T>(pub T);

/// A segment of the path.
pub struct Segment<T>(pub T);

/// Whoever asks; visitors too.
pub struct Viewer(pub Option<User>);

/// Who asks; a visitor is refused.
pub struct Me(pub User);

/// Address of the client, as far as our own proxies tell.
pub struct Address(pub IpAddr);

impl<T: DeserializeOwned> FromRequest<State> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &State) -> Result<Self, Problem> {
        if !is_json(request.headers()) {
            return Err(Problem::of("unsupported_media"));
        }
        let bytes = Bytes::from_request(request, state).await.map_err(|refused| match refused.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Problem::of("too_large"),
            _ => Problem::field("body", "The request could not be read."),
        })?;
        read_json(&bytes).map(Self)
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == "application/json" || kind.starts_with("application/") && kind.ends_with("+json")
}

/// Text first, then JSON, then the shape: each wrong in its own words, the last with the field's name.
fn read_json<T: DeserializeOwned>(bytes: &[u8]) -> Answer<T> {
    let text = std::str::from_utf8(bytes).map_err(|_| Problem::field("body", NOT_UTF8))?;
    if serde_json::from_str::<IgnoredAny>(text).is_err() {
        return Err(Problem::field("body", "This is not JSON."));
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut reader)
        .map_err(|error| wrong_type(&error.path().to_string(), &error.inner().to_string()))
}

impl<T: DeserializeOwned> FromRequestParts<State> for QueryArgs<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &State) -> Result<Self, Problem> {
        let query = parts.uri.query().unwrap_or_default();
        if percent_decode_str(query).decode_utf8().is_err() {
            return Err(Problem::field("query", NOT_UTF8));
        }
        let read: Result<Query<T>, QueryRejection> = Query::try_from_uri(&parts.uri);
        read.map(|Query(args)| Self(args)).map_err(|error| {
            let text = error.body_text();
            let detail = text.rsplit_once("query string: ").map_or(text.as_str(), |(_, detail)| detail);
            wrong_type(detail.split_once(": ").map_or("query", |(path, _)| path), detail)
        })
    }
}

impl<T: DeserializeOwned + Send> FromRequestParts<State> for Segment<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &State) -> Result<Self, Problem> {
        if percent_decode_str(parts.uri.path()).decode_utf8().is_err() {
            return Err(Problem::field("path", NOT_UTF8));
        }
        let read: Result<Path<T>, PathRejection> = Path::from_request_parts(parts, state).await;
        read.map(|Path(value)| Self(value)).map_err(|_| Problem::of("not_found"))
    }
}

impl FromRequestParts<State> for Viewer {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &State) -> Result<Self, Problem> {
        Ok(Self(match parts.extensions.get::<Caller>() {
            Some(Caller::User(user)) => Some(user.clone()),
            _ => None,
        }))
    }
}

impl FromRequestParts<State> for Me {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &State) -> Result<Self, Problem> {
        let Viewer(user) = Viewer::from_request_parts(parts, state).await?;
        user.map(Self).ok_or_else(|| Problem::of("unauthenticated"))
    }
}

impl FromRequestParts<State> for Address {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &State) -> Result<Self, Problem> {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| *peer);
        Ok(Self(client_address(&parts.headers, peer, state.config.forwarded_hops)))
    }
}

/// The address that the outermost of our own `hops` proxies saw; without proxies, the peer's. What a
/// client writes into the header itself stands further left and is never believed.
#[must_use]
pub fn client_address(headers: &HeaderMap, peer: Option<SocketAddr>, hops: usize) -> IpAddr {
    let peer = peer.map_or(IpAddr::from([0, 0, 0, 0]), |p| p.ip());
    if hops == 0 {
        return peer;
    }
    let listed: Vec<&str> = headers
        .get_all("x-forwarded-for")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .collect();
    listed.iter().rev().nth(hops - 1).and_then(|text| text.parse().ok()).unwrap_or(peer)
}

/// Names the field: by its path, or by serde's words when it is missing.
fn wrong_type(path: &str, detail: &str) -> Problem {
    if let Some(name) = detail.split("missing field `").nth(1).and_then(|rest| rest.split('`').next()) {
        return Problem::field(name, "This is missing.");
    }
    let plain = path != "." && path.chars().all(|c| c.is_alphanumeric() || "._[]".contains(c));
    Problem::field(if plain { path } else { "body" }, "Not a valid value.")
}

/// The client's country as our edge knows it (ISO 3166-1 alpha-2); empty when no edge tells.
#[must_use]
pub fn country(app: &State, headers: &HeaderMap) -> String {
    let Some(name) = &app.config.country_header else { return String::new() };
    let told = headers.get(name.as_str()).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let plain = told.len() == 2 && told.bytes().all(|b| b.is_ascii_alphabetic());
    if plain { told.to_ascii_uppercase() } else { String::new() }
}

/// The user agent, cut to a sane length.
#[must_use]
pub fn user_agent(headers: &HeaderMap) -> String {
    const MAX_CHARS: usize = 400;
    let text = headers.get("user-agent").and_then(|v| v.to_str().ok()).unwrap_or_default();
    text.chars().take(MAX_CHARS).collect()
}
