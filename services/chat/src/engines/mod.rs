//! Who writes replies: the built-in `improv`, an OpenAI-compatible server, or Ollama in its own words; a
//! second one where it is configured.

pub mod failover;
pub mod improv;
pub mod markers;
pub mod models;
pub mod ollama;
pub mod openai;
pub mod speech;
pub mod stops;
pub mod wire;

use std::{borrow::Cow, sync::Arc, time::Duration};

use ecow::EcoString;
use futures::stream::BoxStream;
use moderation::Said;
use serde::Serialize;

use self::models::Record;
use crate::{
    config::EngineConfig,
    prompt::{Prompt, Role},
    rules,
    sampling::Values,
    tokens::Tokenizer,
};

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
    pub text: EcoString,
}

/// All that a reply rests on.
#[derive(Debug, Clone)]
pub struct Scene {
    pub card: Arc<Card>,
    pub user: Person,
    /// From the greeting to the newest message.
    pub history: Vec<Line>,
    /// The character goes on; nothing new was said.
    pub continuing: bool,
    /// The same scene with the same seed gives the same reply, where the engine can promise it.
    pub seed: u64,
}

impl Scene {
    /// What the user said last; empty before the first word.
    #[must_use]
    pub fn last_said(&self) -> &str {
        self.history.iter().rev().find(|line| line.by_user).map_or("", |line| line.text.as_str())
    }

    /// What was said before that, by the user and by both.
    #[must_use]
    pub fn said_before(&self) -> [Said; 2] {
        let last = self.history.iter().rposition(|line| line.by_user).unwrap_or_default();
        rules::ends(self.history[..last].iter().map(|line| (line.by_user, line.text.as_str())))
    }
}

/// One reply to write.
#[derive(Debug, Clone)]
pub struct Job {
    pub scene: Scene,
    pub prompt: Prompt,
    /// Tokens of the reply at most, within what the engine may write.
    pub reply_tokens: u32,
    /// How freely; what the engine does not take is left out.
    pub sampling: Values,
    pub help: Help,
    /// [`Scene::said_before`], where the turn was judged after it.
    pub said: Option<[Said; 2]>,
}

/// Whether somebody needs a person to talk to rather than a character, and where they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Help {
    /// No engine is asked.
    pub now: bool,
    /// ISO 3166-1 alpha-2; empty when nobody knows.
    pub country: String,
}

impl Job {
    /// Tokens of the reply at most, where an engine may write `cap`.
    #[must_use]
    pub fn length(&self, cap: u32) -> u32 {
        self.sampling.reply_tokens(cap.min(self.reply_tokens))
    }

    /// Where the reply ends: before it speaks for the user, and where the user wants it to.
    #[must_use]
    pub fn stops(&self) -> Vec<String> {
        let user = self.scene.user.name.trim();
        let mut stops = Vec::new();
        if !user.is_empty() {
            stops.push(format!("\n{user}:"));
            stops.push(format!("\n**{user}:"));
        }
        stops.extend(self.sampling.stop.iter().cloned());
        stops
    }
}

/// A message as a server reads it.
#[derive(Serialize)]
struct Told<'a> {
    role: Role,
    content: Cow<'a, str>,
}

/// The messages as a server reads them: what people wrote holds no role of its own ([`markers`]). Without a system
/// role, its text goes before what the user says first.
fn messages(prompt: &Prompt, system_role: bool) -> Vec<Told<'_>> {
    let said = prompt.messages.iter();
    let said = said.map(|said| Told { role: said.role, content: markers::harmless(&said.content) });
    if system_role {
        return said.collect();
    }
    let (rules, mut rest): (Vec<_>, Vec<_>) = said.partition(|told| told.role == Role::System);
    let rules = rules.into_iter().map(|told| told.content).collect::<Vec<_>>().join("\n\n");
    match rest.first_mut() {
        Some(first) if first.role == Role::User => {
            first.content = [&rules, &*first.content].join("\n\n").into();
        }
        _ => rest.insert(0, Told { role: Role::User, content: rules.into() }),
    }
    rest
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
    /// Another engine than the one that was asked writes; told before its first text.
    By(String),
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
    /// The model thought until its space was used up, and said nothing.
    ReasonedOnly,
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
            Self::ReasonedOnly => "engine_reasoned_only",
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
    /// Whether a sampling parameter changes what it writes.
    fn takes(&self, parameter: &str) -> bool;
    fn write(&self, job: Job) -> Pieces;
}

/// The engine that the configuration asks for, and how many tokens prompts are counted by.
pub struct Chosen {
    pub engine: Arc<dyn Engine>,
    pub context: u32,
    /// Of the model that is asked first.
    pub tokenizer: Tokenizer,
}

/// # Errors
/// One sentence that names the variable.
pub fn choose(config: &EngineConfig) -> anyhow::Result<Chosen> {
    if config.llm_base_url.trim().is_empty() {
        let pace = Duration::from_millis(config.improv_pace_ms);
        let context = config.context(None)?;
        let tokenizer = Tokenizer::Unknown;
        return Ok(Chosen { engine: Arc::new(improv::Improv::new(pace)), context, tokenizer });
    }
    let first = record(config)?;
    let tokenizer = first.model.tokenizer;
    let Some(other) = config.fallback() else {
        let context = config.context(first.model.context)?;
        return Ok(Chosen { engine: server(config, first, context)?, context, tokenizer });
    };
    // A prompt that fits the smaller of both fits either.
    let second = record(&other)?;
    let known = [first.model.context, second.model.context].into_iter().flatten().min();
    let context = config.context(known)?;
    let failover = failover::Failover::new(
        server(config, first, context)?,
        server(&other, second, context)?,
        config.llm_breaker_failures,
        Duration::from_secs_f64(config.llm_breaker_pause_s),
    );
    Ok(Chosen { engine: Arc::new(failover), context, tokenizer })
}

fn record(config: &EngineConfig) -> anyhow::Result<Record> {
    let file = config.llm_models_file.as_deref().filter(|path| !path.as_os_str().is_empty());
    Record::find(&config.llm_provider, &config.llm_base_url, &config.llm_model, file)
}

fn server(config: &EngineConfig, record: Record, context: u32) -> anyhow::Result<Arc<dyn Engine>> {
    tracing::info!(
        provider = record.kind,
        model = config.llm_model,
        context,
        "a language model is configured"
    );
    Ok(match record.kind.as_str() {
        "ollama" => Arc::new(ollama::Ollama::new(config, record, context)?),
        _ => Arc::new(openai::OpenAi::new(config, record)?),
    })
}
