//! Configuration by environment. Every key has its default and its explanation where it is declared;
//! `<binary> serve --help` prints them all.

use std::{fmt, net::SocketAddr, str::FromStr};

use secrecy::{ExposeSecret as _, SecretString};

/// A value that is never printed.
#[derive(Clone)]
pub struct Secret(SecretString);

impl Secret {
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(SecretString::from(text.into()))
    }

    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

impl FromStr for Secret {
    type Err = std::convert::Infallible;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        Ok(Self::new(s))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

/// What every process of the house is told.
#[derive(Debug, Clone, clap::Args)]
pub struct Common {
    /// Where the service listens (gRPC; HTTP for the BFF). `cargo xtask up` gives each its own port.
    #[arg(long, env = "GRPC_ADDR", default_value = "127.0.0.1:50051")]
    pub grpc_addr: SocketAddr,
    /// Where metrics (`/metrics`) and probes (`/livez`, `/readyz`) are served, apart from the product.
    #[arg(long, env = "OPS_ADDR", default_value = "127.0.0.1:9464")]
    pub ops_addr: SocketAddr,
    /// Redis; `?protocol=resp3` is added when it is missing.
    #[arg(long, env = "REDIS_URL", default_value = "redis://127.0.0.1:6379", hide_env_values = true)]
    pub redis_url: Secret,
    /// RabbitMQ.
    #[arg(
        long,
        env = "AMQP_URL",
        default_value = "amqp://guest:guest@127.0.0.1:5672/%2f",
        hide_env_values = true
    )]
    pub amqp_url: Secret,
    /// Public keys of `auth`, over HTTP.
    #[arg(long, env = "AUTH_JWKS_URL", default_value = "http://127.0.0.1:7201/.well-known/jwks.json")]
    pub auth_jwks_url: String,
    /// `auth`, over gRPC, for the list of revocations.
    #[arg(long, env = "AUTH_GRPC_URL", default_value = "http://127.0.0.1:7101")]
    pub auth_grpc_url: String,
    /// Put before Redis keys, the exchange and queue names, so that several houses share one broker.
    #[arg(long, env = "TROUPE_PREFIX", default_value = "")]
    pub prefix: String,
    /// Development: the mailbox page is there, limits are generous. Never set it in production.
    #[arg(long, env = "TROUPE_DEV", default_value_t = false, action = clap::ArgAction::Set)]
    pub dev: bool,
    /// Seconds after which a queue that nobody uses goes away. For tests; a queue of the product is kept.
    #[arg(long, env = "TROUPE_QUEUE_LIFE_S")]
    pub queue_life_s: Option<u32>,
    /// Seconds that running work may take after SIGTERM.
    #[arg(long, env = "SHUTDOWN_GRACE_S", default_value_t = 25)]
    pub shutdown_grace_s: u64,
}

impl Common {
    /// `name` under the house's prefix.
    #[must_use]
    pub fn named(&self, name: &str) -> String {
        if self.prefix.is_empty() { name.to_owned() } else { format!("{}.{name}", self.prefix) }
    }
}
