//! Who writes replies: the built-in `improv`, or an OpenAI-compatible server.

pub mod improv;
pub mod openai;

use std::{sync::Arc, time::Duration};

use futures::stream::BoxStream;

use crate::{config::EngineConfig, prompt::Prompt};

/// What an engine is told of a character.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Card {
    pub name: String,
    pub description: String,
    pub personality: String,
    pub greeting: String,
    pub scenario: String,
    /// Exchanges, apart by `<START>`; speakers as `{{user}}:` and `{{char}}:`.
    pub examples: String,
    pub outfit: String,
    pub tags: Vec<String>,
}

/// Whom the character speaks to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Person {
    pub name: String,
    pub description: String,
    pub gender: String,
}

/// A message of the path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub by_user: bool,
    pub text: String,
}

/// All that a reply rests on.
#[derive(Debug, Clone)]
pub struct Scene {
    pub card: Card,
    pub user: Person,
    /// From the greeting to the newest message.
    pub history: Vec<Line>,
    /// The character goes on; nothing new was said.
    pub continuing: bool,
    /// The same scene with the same seed gives the same reply, where the engine can promise it.
    pub seed: u64,
}

/// One reply to write.
pub struct Job {
    pub scene: Scene,
    pub prompt: Prompt,
}

/// What comes out of an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    Text(String),
    /// Tokens as the engine counted them.
    Usage {
        prompt: u32,
        reply: u32,
    },
}

/// Why a reply did not end well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// No connection.
    Unreachable,
    /// 401 or 403.
    RefusedKey,
    /// 429, still after the retries.
    RateLimited,
    /// Any other refusal, or an `error` inside the stream.
    Error,
    /// What came is not what the protocol says.
    Malformed,
    /// The stream ended without a reason.
    EndedEarly,
    /// Too long without a token.
    Timeout,
}

impl Trouble {
    /// Stable, for the message and for people's sentences in the BFF.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Unreachable => "engine_unreachable",
            Self::RefusedKey => "engine_refused_key",
            Self::RateLimited => "engine_rate_limited",
            Self::Error => "engine_error",
            Self::Malformed => "engine_malformed",
            Self::EndedEarly => "engine_ended_early",
            Self::Timeout => "engine_timeout",
        }
    }
}

/// A reply as it is written; ends after the last piece or the first trouble.
pub type Pieces = BoxStream<'static, Result<Piece, Trouble>>;

/// Writes replies.
pub trait Engine: Send + Sync + 'static {
    /// As it is shown beside what it wrote.
    fn name(&self) -> &str;
    /// True for the one that needs no model.
    fn offline(&self) -> bool;
    fn write(&self, job: Job) -> Pieces;
}

/// The engine that the configuration asks for.
///
/// # Errors
/// When the address of the model's server is malformed.
pub fn choose(config: &EngineConfig) -> anyhow::Result<Arc<dyn Engine>> {
    if config.llm_base_url.trim().is_empty() {
        let pace = Duration::from_millis(config.improv_pace_ms);
        return Ok(Arc::new(improv::Improv::new(pace)));
    }
    Ok(Arc::new(openai::OpenAi::new(config)?))
}
