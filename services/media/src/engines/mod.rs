//! Image engines: what turns the choices of a job into a picture.

use async_trait::async_trait;
use thiserror::Error;

pub mod a1111;
mod chosen;
pub mod comfy;
mod http;
pub mod openai;
pub mod playbill;
pub mod poses;
pub mod prompts;
mod watch;

pub use chosen::{Kind, Settings};
pub use playbill::Playbill;
pub use poses::{Pose, PoseSettings, Poses};
pub use watch::Watch;

/// Width and height of a drawing, px.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// 832 × 1216: gallery pictures and portraits.
    Portrait,
    /// 1024 × 1024.
    Square,
}

impl Format {
    #[must_use]
    pub const fn size(self) -> (u32, u32) {
        match self {
            Self::Portrait => (832, 1216),
            Self::Square => (1024, 1024),
        }
    }
}

/// The choices of the specification (section 9), each empty when it was left open.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    pub gender: String,
    pub ethnicity: String,
    pub age: String,
    pub hair_color: String,
    pub face: String,
    pub pose: String,
    pub breast_size: String,
    pub body_type: String,
    pub style: String,
    pub prompt: String,
}

/// What is to be drawn. The same request always gives the same picture.
#[derive(Debug, Clone)]
pub struct DrawRequest {
    pub options: Options,
    /// Tags of the character; they count after the words of the prompt.
    pub tags: Vec<String>,
    /// Decides what the options leave open.
    pub seed: u64,
    pub format: Format,
    /// Key of a finished recipe, which then decides everything.
    pub cast: Option<String>,
}

/// A finished picture, opaque, 8 bits RGBA.
pub struct Drawing {
    pub width: u32,
    pub height: u32,
    pub rgba: Vec<u8>,
    /// Name of the gel it is lit through, which tints the character's page; `None` when the engine has none.
    pub gel: Option<String>,
}

/// Why there is no picture.
#[derive(Debug, Error)]
pub enum EngineError {
    /// Another attempt may succeed.
    #[error("the engine is not available: {0}")]
    Unavailable(String),
    /// No attempt will.
    #[error("the engine cannot draw this: {0}")]
    Refused(String),
    /// The engine's own rules are against it.
    #[error("the engine's moderation refused it")]
    Moderated,
    /// It is not wanted any more.
    #[error("stopped")]
    Stopped,
}

/// Draws pictures. Engines that compute do so off the async threads.
#[async_trait]
pub trait ImageEngine: Send + Sync + 'static {
    /// Short name, as shown to people.
    fn name(&self) -> &'static str;

    /// Tells `watch` how far it is, and ends when it is stopped.
    ///
    /// # Errors
    /// See [`EngineError`].
    async fn draw(&self, request: &DrawRequest, watch: &Watch) -> Result<Drawing, EngineError>;
}
