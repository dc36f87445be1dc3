//! Configuration by environment. Every key has its default and its explanation where it is declared;
//! `<binary> serve --help` prints them all.

use std::{ffi::OsString, fmt, net::SocketAddr, str::FromStr, time::Duration};

use secrecy::{ExposeSecret as _, SecretString};

use crate::shutdown::GRACE_S;

/// What stands in the example of the environment (`deploy/example.env`) where a secret belongs.
const EXAMPLE: &str = "change-me";
/// Name and password of a RabbitMQ that nobody has configured.
const GUEST: &str = "//guest:guest@";

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
    /// prod, or dev: the mailbox page is there, limits are generous, and secrets may be those of the example.
    #[arg(long = "env", env = "TROUPE_ENV", default_value = "prod", value_name = "ENV", value_parser = is_dev, action = clap::ArgAction::Set)]
    pub dev: bool,
    /// Seconds after which a queue that nobody uses goes away. For tests; a queue of the product is kept.
    #[arg(long, env = "TROUPE_QUEUE_LIFE_S")]
    pub queue_life_s: Option<u32>,
    /// Seconds after SIGTERM in which a process that says that it is not ready goes on as before, until whoever asks
    /// has gone elsewhere. Not needed where that is waited for before SIGTERM (Kubernetes: preStop).
    #[arg(long, env = "SHUTDOWN_LEAVE_S", default_value_t = 0)]
    pub shutdown_leave_s: u64,
    /// Seconds that running work may take after that; whoever kills the process waits longer than both.
    #[arg(long, env = "SHUTDOWN_GRACE_S", default_value_t = GRACE_S)]
    pub shutdown_grace_s: u64,
}

/// Whether this is development.
fn is_dev(text: &str) -> Result<bool, &'static str> {
    match text {
        "dev" => Ok(true),
        "prod" => Ok(false),
        _ => Err("it is either dev or prod"),
    }
}

/// The first variable that holds a secret of the example.
fn left_as_it_was(variables: impl Iterator<Item = (OsString, OsString)>) -> Option<String> {
    variables
        .filter(|(_, value)| value.to_string_lossy().contains(EXAMPLE))
        .map(|(name, _)| name.to_string_lossy().into_owned())
        .min()
}

impl Common {
    /// How long a process that ends goes on as before.
    #[must_use]
    pub fn leave(&self) -> Duration {
        Duration::from_secs(self.shutdown_leave_s)
    }

    /// Secrets that everybody knows are for development only.
    ///
    /// # Errors
    /// One sentence that names the variable.
    pub fn refuse_known_secrets(&self) -> anyhow::Result<()> {
        if self.dev {
            return Ok(());
        }
        if let Some(name) = left_as_it_was(std::env::vars_os()) {
            anyhow::bail!("{name} is still the secret of the example; make one, or set TROUPE_ENV=dev");
        }
        anyhow::ensure!(
            !self.amqp_url.expose().contains(GUEST),
            "AMQP_URL names guest with the password that everybody knows; make a user, or set TROUPE_ENV=dev"
        );
        Ok(())
    }

    /// `name` under the house's prefix.
    #[must_use]
    pub fn named(&self, name: &str) -> String {
        if self.prefix.is_empty() { name.to_owned() } else { format!("{}.{name}", self.prefix) }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(clap::Parser)]
    struct Cli {
        #[command(flatten)]
        common: Common,
    }

    fn common(args: &[&str]) -> Result<Common, clap::Error> {
        Cli::try_parse_from([&["any"], args].concat()).map(|cli| cli.common)
    }

    fn refusal(args: &[&str]) -> Option<String> {
        common(args).expect("a configuration").refuse_known_secrets().err().map(|e| e.to_string())
    }

    #[test]
    fn a_password_that_everybody_knows_is_for_development_only() {
        let guest = ["--amqp-url", "amqp://guest:guest@rabbitmq:5672/%2f"];
        let refused = refusal(&guest).expect("it is refused");
        assert!(refused.starts_with("AMQP_URL "), "{refused}");
        assert_eq!(refusal(&[&guest[..], &["--env", "dev"]].concat()), None);
        assert_eq!(refusal(&["--amqp-url", "amqp://troupe:9f8c@rabbitmq:5672/%2f"]), None);
    }

    #[test]
    fn a_secret_of_the_example_is_found_wherever_it_stands() {
        let set = |pairs: &[(&str, &str)]| {
            let pairs: Vec<_> = pairs.iter().map(|(k, v)| (OsString::from(k), OsString::from(v))).collect();
            left_as_it_was(pairs.into_iter())
        };
        let url = "postgres://auth:change-me-auth@postgres/auth";
        assert_eq!(set(&[("LOG", "info"), ("DATABASE_URL", url)]).as_deref(), Some("DATABASE_URL"));
        assert_eq!(set(&[("AUTH_CODE_KEY", "9f8c3a")]), None);
    }

    #[test]
    fn a_house_is_in_development_or_in_production() {
        assert!(common(&["--env", "dev"]).expect("dev").dev);
        assert!(!common(&["--env", "prod"]).expect("prod").dev);
        assert!(common(&["--env", "true"]).is_err());
    }
}
