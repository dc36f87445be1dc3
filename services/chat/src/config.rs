//! What chat is told by its environment.

use std::time::Duration;

use kit::config::{Common, Secret};

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
    /// Tokens that the model can read and write together. The plan's memory caps it.
    #[arg(long, env = "LLM_CONTEXT_TOKENS", default_value_t = 8_192)]
    pub llm_context_tokens: u32,
    /// Tokens of one reply at most.
    #[arg(long, env = "LLM_MAX_REPLY_TOKENS", default_value_t = 500)]
    pub llm_max_reply_tokens: u32,
    /// Sampling temperature.
    #[arg(long, env = "LLM_TEMPERATURE", default_value_t = 0.9)]
    pub llm_temperature: f64,
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
            self.llm_context_tokens > self.llm_max_reply_tokens.saturating_mul(2),
            "LLM_CONTEXT_TOKENS must be more than twice LLM_MAX_REPLY_TOKENS"
        );
        Ok(())
    }
}
