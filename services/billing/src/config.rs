//! What billing is told by its environment.

use kit::config::{Common, Secret};

/// Shortest secret that is taken, in characters.
const SECRET_MIN: usize = 16;

#[derive(Debug, Clone, clap::Args)]
pub struct Config {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub database: kit::db::Target,
    /// Secret of the sandbox provider's webhooks (Standard Webhooks, HMAC-SHA256).
    #[arg(long, env = "BILLING_WEBHOOK_SECRET", hide_env_values = true)]
    pub webhook_secret: Secret,
    /// Where the sandbox provider posts its webhooks: the public `/webhooks/sandbox` of the BFF.
    #[arg(long, env = "BILLING_WEBHOOK_URL", default_value = "http://127.0.0.1:8080/webhooks/sandbox")]
    pub webhook_url: String,
}

impl Config {
    /// # Errors
    /// One sentence that names the variable.
    pub fn check(&self) -> anyhow::Result<()> {
        anyhow::ensure!(
            self.webhook_secret.expose().len() >= SECRET_MIN,
            "BILLING_WEBHOOK_SECRET must have at least {SECRET_MIN} characters"
        );
        Ok(())
    }
}
