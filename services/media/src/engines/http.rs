//! Engines behind HTTP: addresses, time-outs, and answers that are only read so far.

use std::time::Duration;

use anyhow::Context as _;
use base64::Engine as _;
use kit::{config::Secret, outbound::Unread};
use reqwest::{Client, RequestBuilder, Response, StatusCode, Upgraded, Url, Version, header};
use serde::de::DeserializeOwned;
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::protocol::{Role, WebSocketConfig},
};

use super::{Drawing, EngineError};
use crate::{limits, pictures};

/// Bytes of an answer that holds no picture.
const ANSWER_MAX: usize = 1024 * 1024;
/// Bytes of an answer that holds a picture: an upload's, as base64 and with what stands around it.
pub(super) const PICTURE_ANSWER_MAX: usize = limits::UPLOAD_BYTES * 4 / 3 + ANSWER_MAX;
/// Characters of an engine's own words in which it is looked for why.
const WORDS: usize = 300;
/// Longest name of a refusal that is logged, bytes.
const CODE_MAX: usize = 64;

/// A websocket of an engine.
pub(super) type Socket = WebSocketStream<Upgraded>;

/// One server. Cheap to clone.
#[derive(Clone)]
pub(super) struct Server {
    client: Client,
    /// Of HTTP/1.1 alone, which websockets begin with.
    sockets: Client,
    base: Url,
    key: Option<Secret>,
    /// Of one drawing, from the first call to the last byte.
    pub(super) total: Duration,
}

impl Server {
    /// # Errors
    /// When the address is none.
    pub(super) fn new(base: &str, key: Option<Secret>, total: Duration) -> anyhow::Result<Self> {
        let base = [base.trim().trim_end_matches('/'), "/"].concat();
        let base = Url::parse(&base)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https"))
            .context("IMAGE_BASE_URL must be an http(s) address, such as http://127.0.0.1:7860")?;
        let builder = || kit::outbound::builder().connect_timeout(limits::ENGINE_CONNECT);
        let client = builder().build().context("the HTTP client cannot be made")?;
        let sockets = builder().http1_only().build().context("the HTTP client cannot be made")?;
        let key = key.filter(|k| !k.expose().is_empty());
        Ok(Self { client, sockets, base, key, total })
    }

    /// Below the address of the configuration.
    pub(super) fn url(&self, path: &str) -> Result<Url, EngineError> {
        self.base.join(path).map_err(|e| EngineError::Refused(e.to_string()))
    }

    /// Whether it is an address of the configured server.
    pub(super) fn is_own(&self, url: &Url) -> bool {
        url.origin() == self.base.origin()
    }

    pub(super) fn get(&self, url: Url) -> RequestBuilder {
        self.dressed(self.client.get(url)).timeout(limits::ENGINE_ASK)
    }

    /// A question that is answered at once.
    pub(super) fn post(&self, url: Url) -> RequestBuilder {
        self.dressed(self.client.post(url)).timeout(limits::ENGINE_ASK)
    }

    /// A question that is answered by a picture; whoever asks waits no longer than `total`.
    pub(super) fn post_patiently(&self, url: Url) -> RequestBuilder {
        self.dressed(self.client.post(url))
    }

    /// A websocket, its handshake made as a request like any other.
    pub(super) async fn socket(&self, url: Url) -> Result<Socket, EngineError> {
        let key = base64::engine::general_purpose::STANDARD.encode(rand::random::<[u8; 16]>());
        let request = self
            .dressed(self.sockets.get(url))
            .version(Version::HTTP_11)
            .header(header::CONNECTION, "Upgrade")
            .header(header::UPGRADE, "websocket")
            .header(header::SEC_WEBSOCKET_VERSION, "13")
            .header(header::SEC_WEBSOCKET_KEY, key);
        let shaken = async {
            let response = request.send().await?.error_for_status()?;
            if response.status() != StatusCode::SWITCHING_PROTOCOLS {
                return Ok(None);
            }
            response.upgrade().await.map(Some)
        };
        let shaken = tokio::time::timeout(limits::ENGINE_CONNECT, shaken).await;
        let open = shaken.map_err(|_| EngineError::Unavailable("no websocket in time".into()))?;
        let open = open.map_err(broken)?.ok_or_else(|| EngineError::Refused("no websocket".into()))?;
        let config = WebSocketConfig::default()
            .max_message_size(Some(PICTURE_ANSWER_MAX))
            .max_frame_size(Some(PICTURE_ANSWER_MAX));
        Ok(WebSocketStream::from_raw_socket(open, Role::Client, Some(config)).await)
    }

    fn dressed(&self, request: RequestBuilder) -> RequestBuilder {
        match self.key.as_ref().map(Secret::expose) {
            // "name:password", as AUTOMATIC1111 is started with.
            Some(key) => match key.split_once(':') {
                Some((name, password)) => request.basic_auth(name, Some(password)),
                None => request.bearer_auth(key),
            },
            None => request,
        }
    }
}

/// The body of an answer, at most this long; `Err` with what a status or a broken wire means.
pub(super) async fn body(request: RequestBuilder, max: usize) -> Result<Vec<u8>, EngineError> {
    let response = request.send().await.map_err(broken)?;
    let status = response.status();
    let bytes = read(response, if status.is_success() { max } else { ANSWER_MAX }).await;
    if status.is_success() { bytes } else { Err(refusal(status, &bytes.unwrap_or_default())) }
}

/// A short answer, read as JSON.
pub(super) async fn json<T: DeserializeOwned>(request: RequestBuilder, max: usize) -> Result<T, EngineError> {
    let bytes = body(request, max).await?;
    serde_json::from_slice(&bytes)
        .map_err(|e| EngineError::Unavailable(["malformed answer: ", &e.to_string()].concat()))
}

/// A short answer, read as JSON.
pub(super) async fn short<T: DeserializeOwned>(request: RequestBuilder) -> Result<T, EngineError> {
    json(request, ANSWER_MAX).await
}

/// What is only done.
pub(super) async fn done(request: RequestBuilder) -> Result<(), EngineError> {
    body(request, ANSWER_MAX).await.map(drop)
}

async fn read(response: Response, max: usize) -> Result<Vec<u8>, EngineError> {
    kit::outbound::read(response, max).await.map_err(|unread| match unread {
        Unread::TooLong => EngineError::Refused(unread.to_string()),
        Unread::Broken(_) => EngineError::Unavailable(unread.to_string()),
    })
}

/// An address may hold a key: it is told without it.
fn broken(error: reqwest::Error) -> EngineError {
    EngineError::Unavailable(error.without_url().to_string())
}

/// Too much at a time and its own faults pass; what it says of the question does not.
fn refusal(status: StatusCode, body: &[u8]) -> EngineError {
    let said: String = String::from_utf8_lossy(body).chars().take(WORDS).collect();
    let moderated = ["moderation_blocked", "content_policy_violation"].iter().any(|code| said.contains(code));
    let why = [status.as_str(), " ", &code(body).unwrap_or_default()].concat().trim_end().to_owned();
    match status {
        _ if moderated => EngineError::Moderated,
        StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT => EngineError::Unavailable(why),
        _ if status.is_server_error() => EngineError::Unavailable(why),
        _ => EngineError::Refused(why),
    }
}

/// What an engine names its refusal, for the log: one word, and none of its sentences, which may repeat the prompt or a key.
fn code(body: &[u8]) -> Option<String> {
    let said: serde_json::Value = serde_json::from_slice(body).ok()?;
    let names = ["/error/code", "/error/type", "/code", "/name"];
    let name = names.iter().find_map(|at| said.pointer(at)?.as_str())?;
    let word = name.len() <= CODE_MAX && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    word.then(|| name.to_owned())
}

/// A file that an engine sent, decoded within the limits of uploads.
pub(super) async fn drawing(file: Vec<u8>) -> Result<Drawing, EngineError> {
    let decoded = tokio::task::spawn_blocking(move || pictures::decode(&file)).await;
    let picture = decoded
        .map_err(|panic| EngineError::Unavailable(panic.to_string()))?
        .map_err(|unfit| EngineError::Refused(["its picture: ", &unfit.to_string()].concat()))?;
    let (width, height) = (picture.width(), picture.height());
    Ok(Drawing { width, height, rgba: picture.into_rgba8().into_raw(), gel: None })
}

/// Base64 with or without the head of a `data:` address.
pub(super) fn base64(text: &str) -> Result<Vec<u8>, EngineError> {
    let text = match text.split_once(";base64,") {
        Some((head, data)) if head.starts_with("data:") => data,
        _ => text,
    };
    base64::engine::general_purpose::STANDARD
        .decode(text.trim())
        .map_err(|e| EngineError::Refused(["its picture is no base64: ", &e.to_string()].concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_refusal_only_its_name_is_told() {
        let told = |body: &str| match refusal(StatusCode::BAD_REQUEST, body.as_bytes()) {
            EngineError::Refused(why) => why,
            other => panic!("{other:?}"),
        };
        let key = r#"{"error":{"message":"Incorrect API key: sk-marked","code":"invalid_api_key"}}"#;
        assert_eq!(told(key), "400 invalid_api_key");
        assert_eq!(
            told(r#"{"error":{"code":"no such prompt: a lighthouse"}}"#),
            "400",
            "a sentence is no name"
        );
        assert_eq!(told("<html>a lighthouse at dusk</html>"), "400");
    }
}
