//! The built web app: files with headers that fit their names, and its page for every route of it.

use std::path::{Path, PathBuf};

use axum::{
    body::Body,
    extract::State as Shared,
    http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header},
    response::{IntoResponse as _, Response},
};
use sha2::{Digest as _, Sha256};

use crate::{State, arrivals, errors::Problem, media::matches, previews};

/// Vite puts a hash of the content into these names.
const HASHED: &str = "public, max-age=31536000, immutable";
/// Asked for again each time; the tag makes that cheap. The service worker and the manifest too: who keeps an old one
/// keeps an old app.
const FRESH: &str = "no-cache";

/// The folder that the web app was built into.
pub struct Spa(PathBuf);

impl Spa {
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    /// The bytes of a file of the folder; `None` when there is none, or the path leaves the folder.
    async fn read(&self, path: &str) -> Option<Vec<u8>> {
        let safe = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.contains(['\\', '\0']);
        if !path.split('/').all(safe) {
            return None;
        }
        tokio::fs::read(self.0.join(path)).await.ok()
    }
}

/// Everything that no route takes.
pub async fn fallback(Shared(app): Shared<State>, method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    let first = path.split('/').next().unwrap_or_default();
    if matches!(first, "api" | "media" | "sandbox" | "webhooks" | "dev") {
        return Problem::of("not_found").into_response();
    }
    if method != Method::GET && method != Method::HEAD {
        return Problem::of("method_not_allowed").into_response();
    }
    if path == "robots.txt" {
        return robots(&app, &headers).await;
    }
    if let Some(map) = previews::map(&app, path).await {
        return map;
    }
    let is_file = path.rsplit('/').next().is_some_and(|name| name.contains('.'));
    if is_file && path != "index.html" {
        if path.starts_with("assets/") && takes_brotli(&headers) {
            // Compressed by the build as hard as it goes, which is too slow to do for each request.
            if let Some(bytes) = app.spa.read(&format!("{path}.br")).await {
                return compressed(file(StatusCode::OK, kind(path), HASHED, bytes, &headers));
            }
        }
        return match app.spa.read(path).await {
            Some(bytes) => {
                let cache = if path.starts_with("assets/") { HASHED } else { FRESH };
                file(StatusCode::OK, kind(path), cache, bytes, &headers)
            }
            // A creator's name may hold a dot.
            None if matches!(first, "creator" | "tag") => page(&app, &uri, &headers).await,
            None => missing(),
        };
    }
    page(&app, &uri, &headers).await
}

/// The app with the head of this page. An address that is none of its pages is answered with the app as well, which
/// shows that there is nothing, but with the status 404.
async fn page(app: &State, uri: &Uri, headers: &HeaderMap) -> Response {
    let Some(shell) = app.spa.read("index.html").await else { return missing() };
    let previews::Page { status, head } =
        previews::of(app, uri.path().trim_matches('/'), uri.query().is_some_and(|query| !query.is_empty()))
            .await;
    let early = app.spa.read("arrivals.json").await.unwrap_or_default();
    let early = arrivals::tags(&early, uri.path(), &head.poster);
    let page = app.previews.written(&String::from_utf8_lossy(&shell), &head, &early);
    file(status, kind("index.html"), FRESH, page.into_bytes(), headers)
}

/// The rules of the build, and where the map of the site is.
async fn robots(app: &State, headers: &HeaderMap) -> Response {
    let rules = app.spa.read("robots.txt").await.unwrap_or_else(|| b"User-agent: *".to_vec());
    let text = app.previews.robots(&String::from_utf8_lossy(&rules));
    file(StatusCode::OK, kind("robots.txt"), FRESH, text.into_bytes(), headers)
}

/// Whether the reader takes Brotli (RFC 9110, 12.5.3).
fn takes_brotli(headers: &HeaderMap) -> bool {
    let names = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    names.flat_map(|names| names.split(',')).any(|name| {
        let (coding, weight) = name.split_once(';').unwrap_or((name, "q=1"));
        let weight = weight.trim().strip_prefix("q=").and_then(|q| q.parse::<f32>().ok());
        coding.trim().eq_ignore_ascii_case("br") && weight.is_some_and(|q| q > 0.0)
    })
}

/// Says of an answer that its bytes are Brotli.
fn compressed(mut answer: Response) -> Response {
    let headers = answer.headers_mut();
    if headers.contains_key(header::CONTENT_TYPE) {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("br"));
    }
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    answer
}

fn missing() -> Response {
    let no_store = [(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))];
    (StatusCode::NOT_FOUND, no_store, "Not found.\n").into_response()
}

fn file(
    status: StatusCode,
    kind: &'static str,
    cache: &'static str,
    bytes: Vec<u8>,
    asked: &HeaderMap,
) -> Response {
    // Weak, because the same tag stands for the compressed bytes.
    let digest = hex::encode(&Sha256::digest(&bytes)[..12]);
    let etag =
        HeaderValue::from_str(&format!("W/\"{digest}\"")).unwrap_or(HeaderValue::from_static("W/\"0\""));
    let kept = [(header::CACHE_CONTROL, HeaderValue::from_static(cache)), (header::ETAG, etag.clone())];
    if status == StatusCode::OK && matches(asked, &etag) {
        return (StatusCode::NOT_MODIFIED, kept).into_response();
    }
    (status, kept, [(header::CONTENT_TYPE, HeaderValue::from_static(kind))], Body::from(bytes))
        .into_response()
}

/// Media types of what a build holds.
fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml; charset=utf-8",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        "xml" => "application/xml; charset=utf-8",
        _ => "application/octet-stream",
    }
}
