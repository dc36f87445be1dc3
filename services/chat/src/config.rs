//! What chat is told by its environment.

use std::{path::PathBuf, time::Duration};

use kit::config::{Common, Secret};

use crate::{limits::CONTEXT_TOKENS, sampling};

#[derive(Debug, Clone, clap::Args)]
pub struct Config {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub database: kit::db::Target,
    /// `catalog`, over gRPC: cards.
    #[arg(long, env = "CATALOG_GRPC_URL", default_value = "http://127.0.0.1:7102")]
    pub catalog_grpc_url: String,
    /// `billing`, over gRPC: entitlements.
    #[arg(long, env = "BILLING_GRPC_URL", default_value = "http://127.0.0.1:7105")]
    pub billing_grpc_url: String,
    #[command(flatten)]
    pub engine: EngineConfig,
    #[command(flatten)]
    pub embeddings: EmbeddingsConfig,
    /// A classifier beside the rules; where it is away, a private chat goes on with the rules alone.
    #[command(flatten)]
    pub moderation: moderation::classifier::Settings,
}

/// Who tells how close memories are to what was said last: without `EMBEDDINGS_BASE_URL`, their words do.
#[derive(Debug, Clone, clap::Args)]
pub struct EmbeddingsConfig {
    /// Server that speaks OpenAI's `/v1/embeddings`, without that path. Empty: words are compared.
    #[arg(long, env = "EMBEDDINGS_BASE_URL", default_value = "")]
    pub embeddings_base_url: String,
    /// Name of the model, as that server knows it.
    #[arg(long, env = "EMBEDDINGS_MODEL", default_value = "")]
    pub embeddings_model: String,
    /// Key of that server; none is sent when it is empty.
    #[arg(long, env = "EMBEDDINGS_API_KEY", default_value = "", hide_env_values = true)]
    pub embeddings_api_key: Secret,
    /// Seconds that a turn waits for it at most; then words are compared.
    #[arg(long, env = "EMBEDDINGS_TIMEOUT_S", default_value_t = 2.0)]
    pub embeddings_timeout_s: f64,
}

/// Who writes the replies: without `LLM_BASE_URL`, the built-in engine.
#[derive(Debug, Clone, clap::Args)]
pub struct EngineConfig {
    /// Base address of an OpenAI-compatible server, up to and including `/v1`. Empty: the built-in
    /// engine `improv`, which needs no model and no network.
    #[arg(long, env = "LLM_BASE_URL", default_value = "")]
    pub llm_base_url: String,
    /// Name of the model, as that server knows it.
    #[arg(long, env = "LLM_MODEL", default_value = "default")]
    pub llm_model: String,
    /// Key of that server; none is sent when it is empty.
    #[arg(long, env = "LLM_API_KEY", default_value = "", hide_env_values = true)]
    pub llm_api_key: Secret,
    /// Kind of that server: openai, ollama, llamacpp, vllm, koboldcpp, openrouter or generic, or one of the
    /// operator's file. Empty: guessed from the address (`docs/operations/models.md`).
    #[arg(long, env = "LLM_PROVIDER", default_value = "")]
    pub llm_provider: String,
    /// A file that is laid over what is known of servers and models (`services/chat/models.toml`).
    #[arg(long, env = "LLM_MODELS_FILE")]
    pub llm_models_file: Option<PathBuf>,
    /// How long Ollama keeps the model in memory after a reply.
    #[arg(long, env = "LLM_KEEP_ALIVE", default_value = "10m")]
    pub llm_keep_alive: String,
    /// A second server, which takes over when the first fails before the first token. Empty: none.
    #[arg(long, env = "LLM_FALLBACK_BASE_URL", default_value = "")]
    pub llm_fallback_base_url: String,
    /// Name of the model there.
    #[arg(long, env = "LLM_FALLBACK_MODEL", default_value = "default")]
    pub llm_fallback_model: String,
    /// Key of the second server.
    #[arg(long, env = "LLM_FALLBACK_API_KEY", default_value = "", hide_env_values = true)]
    pub llm_fallback_api_key: Secret,
    /// Kind of the second server, as `LLM_PROVIDER`.
    #[arg(long, env = "LLM_FALLBACK_PROVIDER", default_value = "")]
    pub llm_fallback_provider: String,
    /// Failures in a row after which the first server is left alone for a while.
    #[arg(long, env = "LLM_BREAKER_FAILURES", default_value_t = 3)]
    pub llm_breaker_failures: u32,
    /// Seconds for which it is; then one reply tries it.
    #[arg(long, env = "LLM_BREAKER_PAUSE_S", default_value_t = 30.0)]
    pub llm_breaker_pause_s: f64,
    /// Seconds within which a connection must stand.
    #[arg(long, env = "LLM_CONNECT_TIMEOUT_S", default_value_t = 5.0)]
    pub llm_connect_timeout_s: f64,
    /// Seconds from the request to the first token (a local model loads and reads the prompt first).
    #[arg(long, env = "LLM_FIRST_TOKEN_TIMEOUT_S", default_value_t = 60.0)]
    pub llm_first_token_timeout_s: f64,
    /// Seconds between two tokens.
    #[arg(long, env = "LLM_IDLE_TIMEOUT_S", default_value_t = 20.0)]
    pub llm_idle_timeout_s: f64,
    /// Tries after the first one, before the first token.
    #[arg(long, env = "LLM_RETRIES", default_value_t = 2)]
    pub llm_retries: u32,
    /// Tokens that the model can read and write together; the plan's memory caps it. 0: what is known of the
    /// model, at most 8192, which is also what an unknown one has.
    #[arg(long, env = "LLM_CONTEXT_TOKENS", default_value_t = 0)]
    pub llm_context_tokens: u32,
    /// Tokens of one reply at most, whatever a preset says.
    #[arg(long, env = "LLM_MAX_REPLY_TOKENS", default_value_t = 500)]
    pub llm_max_reply_tokens: u32,
    /// Sampling preset where nothing is set: one for all plans (`creative`), or by plan (`free=brief, deluxe=novel`);
    /// empty: those of the house.
    #[arg(long, env = "LLM_DEFAULT_PRESET", default_value = "")]
    pub llm_default_preset: String,
    /// Milliseconds between two words of the built-in engine.
    #[arg(long, env = "IMPROV_PACE_MS", default_value_t = 25)]
    pub improv_pace_ms: u64,
}

impl EngineConfig {
    /// # Errors
    /// One sentence that names the variable.
    pub fn check(&self) -> anyhow::Result<()> {
        for (name, seconds) in [
            ("LLM_CONNECT_TIMEOUT_S", self.llm_connect_timeout_s),
            ("LLM_FIRST_TOKEN_TIMEOUT_S", self.llm_first_token_timeout_s),
            ("LLM_IDLE_TIMEOUT_S", self.llm_idle_timeout_s),
        ] {
            anyhow::ensure!(
                Duration::try_from_secs_f64(seconds).is_ok_and(|d| !d.is_zero()),
                "{name} must be more than 0"
            );
        }
        anyhow::ensure!(
            Duration::try_from_secs_f64(self.llm_breaker_pause_s).is_ok(),
            "LLM_BREAKER_PAUSE_S must be a number of seconds"
        );
        self.usual_presets()?;
        self.context(None).map(drop)
    }

    /// The presets that hold where nothing is set.
    ///
    /// # Errors
    /// When a plan or a preset is not known.
    pub fn usual_presets(&self) -> anyhow::Result<sampling::Usual> {
        sampling::Usual::read(&self.llm_default_preset)
            .map_err(|why| anyhow::anyhow!("LLM_DEFAULT_PRESET: {why}"))
    }

    /// Tokens of prompt and reply, for a model of which `known` is known.
    ///
    /// # Errors
    /// When too little is left for a prompt.
    pub fn context(&self, known: Option<u32>) -> anyhow::Result<u32> {
        let context = match self.llm_context_tokens {
            0 => known.unwrap_or(CONTEXT_TOKENS).min(CONTEXT_TOKENS),
            set => set,
        };
        anyhow::ensure!(
            context > self.llm_max_reply_tokens.saturating_mul(2),
            "LLM_CONTEXT_TOKENS must be more than twice LLM_MAX_REPLY_TOKENS"
        );
        Ok(context)
    }

    /// The same, for the second server.
    #[must_use]
    pub fn fallback(&self) -> Option<Self> {
        let set = !self.llm_fallback_base_url.trim().is_empty();
        set.then(|| Self {
            llm_base_url: self.llm_fallback_base_url.clone(),
            llm_model: self.llm_fallback_model.clone(),
            llm_api_key: self.llm_fallback_api_key.clone(),
            llm_provider: self.llm_fallback_provider.clone(),
            ..self.clone()
        })
    }
}
