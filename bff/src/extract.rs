//! What handlers take from a request; every refusal has the one shape of an error.

use std::net::{IpAddr, SocketAddr};

use axum::{
    Json,
    extract::{
        ConnectInfo, FromRequest, FromRequestParts, Path, Query, Request,
        rejection::{JsonRejection, PathRejection, QueryRejection},
    },
    http::{HeaderMap, StatusCode, request::Parts},
};
use kit::caller::{Caller, User};
use serde::de::DeserializeOwned;

use crate::{State, errors::Problem};

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
        match Json::<T>::from_request(request, state).await {
            Ok(Json(body)) => Ok(Self(body)),
            Err(JsonRejection::MissingJsonContentType(_)) => Err(Problem::of("unsupported_media")),
            Err(JsonRejection::JsonSyntaxError(_)) => Err(Problem::field("body", "This is not JSON.")),
            Err(JsonRejection::JsonDataError(error)) => Err(wrong_type(&error.body_text())),
            Err(other) if other.status() == StatusCode::PAYLOAD_TOO_LARGE => Err(Problem::of("too_large")),
            Err(_) => Err(Problem::field("body", "The request could not be read.")),
        }
    }
}

impl<T: DeserializeOwned> FromRequestParts<State> for QueryArgs<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &State) -> Result<Self, Problem> {
        let read: Result<Query<T>, QueryRejection> = Query::from_request_parts(parts, state).await;
        read.map(|Query(args)| Self(args)).map_err(|error| wrong_type(&error.body_text()))
    }
}

impl<T: DeserializeOwned + Send> FromRequestParts<State> for Segment<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &State) -> Result<Self, Problem> {
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

/// Names the field from serde's words ("…: rating: invalid type …").
fn wrong_type(text: &str) -> Problem {
    let told = text.rsplit_once("target type: ").or_else(|| text.rsplit_once("query string: "));
    let detail = told.map_or(text, |(_, detail)| detail);
    if let Some(name) = detail.split("missing field `").nth(1).and_then(|rest| rest.split('`').next()) {
        return Problem::field(name, "This is missing.");
    }
    let name = detail.split_once(": ").map_or("body", |(path, _)| path);
    let plain = name.chars().all(|c| c.is_alphanumeric() || "._[]".contains(c));
    Problem::field(if plain { name } else { "body" }, "Not a valid value.")
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
