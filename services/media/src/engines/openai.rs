//! OpenAI's images, and servers that speak the same: `POST {base}/v1/images/generations`. It tells no progress.

use std::sync::Arc;

use async_trait::async_trait;
use reqwest::Url;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{
    DrawRequest, Drawing, EngineError, Format, ImageEngine, Poses, Watch,
    http::{self, Server},
    prompts::{self, Voice},
};
use crate::limits;

/// Model that is asked for where none is configured.
pub(super) const MODEL: &str = "gpt-image-1";

pub struct OpenAi {
    server: Server,
    model: String,
    poses: Arc<Poses>,
}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    data: Vec<Picture>,
}

#[derive(Deserialize)]
struct Picture {
    b64_json: Option<String>,
    url: Option<String>,
}

impl OpenAi {
    pub(super) const fn new(server: Server, model: String, poses: Arc<Poses>) -> Self {
        Self { server, model, poses }
    }

    fn body(&self, request: &DrawRequest) -> Value {
        let pose = self.poses.find(&request.options.pose);
        let prompt = prompts::write(&request.options, pose, &request.tags, Voice::Prose).positive;
        let size = size(&self.model, request.format);
        let mut body = json!({ "model": self.model, "prompt": prompt, "n": 1, "size": size });
        if is_gpt(&self.model) {
            // Its own moderation at its usual strength.
            body["moderation"] = "auto".into();
        } else {
            // These always answer base64 and refuse to be asked for it.
            body["response_format"] = "b64_json".into();
        }
        body
    }

    async fn ask(&self, request: &DrawRequest) -> Result<Drawing, EngineError> {
        let url = self.server.url("v1/images/generations")?;
        let question = self.server.post_patiently(url).json(&self.body(request));
        let answer: Answer = http::json(question, http::PICTURE_ANSWER_MAX).await?;
        let picture = answer.data.into_iter().next();
        let Some(picture) = picture else {
            return Err(EngineError::Refused("the answer holds no picture".into()));
        };
        let file = match (picture.b64_json, picture.url) {
            (Some(data), _) => http::base64(&data)?,
            (None, Some(url)) if url.starts_with("data:") => http::base64(&url)?,
            (None, Some(url)) => self.fetch(&url).await?,
            (None, None) => return Err(EngineError::Refused("the answer holds no picture".into())),
        };
        http::drawing(file).await
    }

    /// Only from the server itself: an answer must not send us anywhere.
    async fn fetch(&self, url: &str) -> Result<Vec<u8>, EngineError> {
        let own = Url::parse(url).ok().filter(|url| self.server.is_own(url));
        let own = own.ok_or_else(|| EngineError::Refused("its picture is on another server".into()))?;
        http::body(self.server.get(own), limits::UPLOAD_BYTES).await
    }
}

#[async_trait]
impl ImageEngine for OpenAi {
    fn name(&self) -> &'static str {
        "openai"
    }

    async fn draw(&self, request: &DrawRequest, watch: &Watch) -> Result<Drawing, EngineError> {
        tokio::select! {
            // Closing the connection is all that can be done.
            () = watch.stopped() => Err(EngineError::Stopped),
            drawn = timeout(self.server.total, self.ask(request)) => {
                drawn.unwrap_or_else(|_| Err(EngineError::Unavailable("no picture in time".into())))
            }
        }
    }
}

fn is_gpt(model: &str) -> bool {
    model.starts_with("gpt-image") || model.starts_with("chatgpt-image")
}

/// The nearest that the model takes; others than OpenAI's take any.
fn size(model: &str, format: Format) -> &'static str {
    match format {
        Format::Square => "1024x1024",
        Format::Portrait if model.starts_with("dall-e-2") => "1024x1024",
        Format::Portrait if model.starts_with("dall-e-3") => "1024x1792",
        Format::Portrait if is_gpt(model) => "1024x1536",
        Format::Portrait => "832x1216",
    }
}
