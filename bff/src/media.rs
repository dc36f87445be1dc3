//! Pictures: their addresses, and their bytes with headers that let browsers keep them.

use std::collections::HashMap;

use axum::{
    body::Body,
    extract::State as Shared,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use proto::{
    catalog::v1::CharacterCard,
    media::v1::{FetchAssetRequest, Rendition, SignUrlsRequest},
};
use serde::Deserialize;

use crate::{
    State,
    errors::{Answer, Problem},
    extract::{QueryArgs, Segment},
};

/// An asset never changes under its name, and a public one may be kept by anyone.
const PUBLIC: &str = "public, max-age=31536000, immutable";
/// A signed address lives 10 minutes; so may its copy, in this browser alone.
const SIGNED: &str = "private, max-age=600";
/// Characters of an asset's name at most.
const MAX_NAME: usize = 200;

/// Renditions by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// 240 px wide.
    Thumb,
    /// 480 px wide.
    Card,
    /// As stored.
    Full,
}

impl Size {
    fn name(self) -> &'static str {
        match self {
            Self::Thumb => "thumb",
            Self::Card => "card",
            Self::Full => "full",
        }
    }
}

/// Address of a rendition; `query` is a signature or empty. `None` without an asset.
#[must_use]
pub fn address(asset: &str, size: Size, query: &str) -> Option<String> {
    if asset.is_empty() {
        return None;
    }
    let mark = if query.is_empty() { "" } else { "?" };
    Some(format!("/media/{asset}/{}.webp{mark}{query}", size.name()))
}

/// Address of an avatar.
#[must_use]
pub fn avatar(asset: &str) -> Option<String> {
    address(asset, Size::Thumb, "")
}

/// Address of an avatar for the one whose it is, who sees it before it was looked at.
pub async fn own_avatar(app: &State, asset: &str) -> Option<String> {
    if asset.is_empty() {
        return None;
    }
    let signed = Signatures::of_assets(app, vec![asset.to_owned()]).await;
    address(asset, Size::Thumb, signed.queries.get(asset).map_or("", String::as_str))
}

/// Signatures for the pictures of one answer, asked for in one call.
#[derive(Debug, Default)]
pub struct Signatures {
    queries: HashMap<String, String>,
    /// Media has said which pictures need none; what it was not asked about needs none either.
    known: bool,
}

impl Signatures {
    /// Signs what the cards need. When `media` is away the signed pictures are left out; the cards
    /// themselves are not.
    pub async fn of(app: &State, cards: impl IntoIterator<Item = &CharacterCard>) -> Self {
        let signed = cards.into_iter().filter(|card| card.image_signed && !card.image_asset.is_empty());
        Self::of_assets(app, signed.map(|card| card.image_asset.clone()).collect()).await
    }

    /// Signs what of these needs it.
    async fn of_assets(app: &State, mut assets: Vec<String>) -> Self {
        assets.sort_unstable();
        assets.dedup();
        if assets.is_empty() {
            return Self::default();
        }
        match app.clients.assets().sign_urls(SignUrlsRequest { assets }).await {
            Ok(answer) => Self { queries: answer.into_inner().queries, known: true },
            Err(status) => {
                tracing::warn!(code = ?status.code(), "addresses not signed");
                Self::default()
            }
        }
    }

    /// Address of a card's picture.
    #[must_use]
    pub fn image(&self, card: &CharacterCard) -> Option<String> {
        if card.locked {
            return None;
        }
        match self.queries.get(&card.image_asset).filter(|_| card.image_signed) {
            Some(query) => address(&card.image_asset, Size::Card, query),
            // Media opens without a signature what it has made none for.
            None if self.known || !card.image_signed => address(&card.image_asset, Size::Card, ""),
            None => None,
        }
    }
}

/// A signature, as the address carries it.
#[derive(Debug, Default, Deserialize)]
pub struct Signature {
    #[serde(default)]
    exp: i64,
    #[serde(default)]
    sig: String,
}

/// `GET /media/{asset}/{thumb|card|full}.webp`
pub async fn fetch(
    Shared(app): Shared<State>,
    Segment((asset, file)): Segment<(String, String)>,
    signature: Answer<QueryArgs<Signature>>,
    headers: HeaderMap,
) -> Answer<Response> {
    let rendition = match file.as_str() {
        "thumb.webp" => Rendition::Thumb,
        "card.webp" => Rendition::Card,
        "full.webp" => Rendition::Full,
        _ => return Err(Problem::of("asset_not_found")),
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if asset.is_empty() || asset.len() > MAX_NAME || !asset.chars().all(plain) {
        return Err(Problem::of("asset_not_found"));
    }
    let QueryArgs(signature) = signature.map_err(|_| Problem::of("asset_not_found"))?;
    let request = FetchAssetRequest {
        asset: asset.clone(),
        rendition: rendition.into(),
        expires: signature.exp,
        signature: signature.sig,
    };
    let found = app.clients.assets().fetch_asset(request).await?.into_inner();
    let etag =
        HeaderValue::from_str(&format!("\"{asset}-{file}\"")).map_err(|_| Problem::of("asset_not_found"))?;
    let cache = HeaderValue::from_static(if found.immutable { PUBLIC } else { SIGNED });
    let kept = [(header::CACHE_CONTROL, cache), (header::ETAG, etag.clone())];
    if matches(&headers, &etag) {
        return Ok((StatusCode::NOT_MODIFIED, kept).into_response());
    }
    let kind = HeaderValue::from_str(&found.content_type).unwrap_or(HeaderValue::from_static("image/webp"));
    Ok((kept, [(header::CONTENT_TYPE, kind)], Body::from(found.data)).into_response())
}

/// Whether the client already holds what the tag names.
#[must_use]
pub fn matches(headers: &HeaderMap, etag: &HeaderValue) -> bool {
    let Some(held) = headers.get(header::IF_NONE_MATCH).and_then(|v| v.to_str().ok()) else { return false };
    let bare = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let etag = bare(etag.to_str().unwrap_or_default());
    held.split(',').any(|tag| tag.trim() == "*" || bare(tag) == etag)
}
