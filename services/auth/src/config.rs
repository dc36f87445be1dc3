//! What auth is told by its environment.

use std::path::PathBuf;

use kit::config::{Common, Secret};

use crate::{accounts::leaked::Leaks, age::Rules, limits};

/// Shortest secret that is taken, in characters.
const SECRET_MIN: usize = 16;

#[derive(Debug, Clone, clap::Args)]
pub struct Config {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub database: kit::db::Target,
    #[command(flatten)]
    pub keys: KeySecret,
    /// Key of the hashes under which codes and reset tokens are kept.
    #[arg(long, env = "AUTH_CODE_KEY", hide_env_values = true)]
    pub code_key: Secret,
    /// How adults are told, by country: `default=self;FR=https://provider.example/check;XX=closed`.
    #[arg(long, env = "AGE_RULES", default_value = "default=self")]
    pub age_rules: String,
    /// Bearer that the providers of AGE_RULES are asked with.
    #[arg(long, env = "AGE_PROVIDER_SECRET", hide_env_values = true)]
    pub age_provider_secret: Option<Secret>,
    /// List of leaked passwords, in ranges by the first five digits of their SHA-1, such as
    /// https://api.pwnedpasswords.com/range/. Without one, new passwords are held against the most used alone.
    #[arg(long, env = "LEAKED_PASSWORDS_URL", hide_env_values = true)]
    pub leaked_passwords_url: Option<String>,
    /// Days between the wish to have an account deleted and its erasure.
    #[arg(long, env = "ERASE_AFTER_DAYS", default_value_t = 30, value_parser = clap::value_parser!(u16).range(0..=365))]
    pub erase_after_days: u16,
    #[command(flatten)]
    pub brakes: Brakes,
    #[command(flatten)]
    pub mail: Mail,
}

/// How much guessing is borne. The address of a request is its IPv4 address or its IPv6 network (/64).
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct Brakes {
    /// Failed logins of an account before each further one has to wait, twice as long each time.
    #[arg(long, env = "LOGIN_FREE_FAILURES", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub login_free_failures: u32,
    /// Failed logins from an address before the same; 100 times as many in development.
    #[arg(long, env = "ADDRESS_FREE_FAILURES", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub address_free_failures: u32,
    /// Wrong codes and reset tokens from an address before the same; 100 times as many in development.
    #[arg(long, env = "ADDRESS_TRIES", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub address_tries: u32,
    /// Longest wait, and how long failures are remembered, in seconds.
    #[arg(long, env = "LOGIN_MEMORY_S", default_value_t = 900, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub login_memory_s: u64,
    /// Mails that an e-mail address can be sent at somebody's request, per hour.
    #[arg(long, env = "MAILS_PER_HOUR", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub mails_per_hour: u32,
}

impl Brakes {
    /// As they are counted, in development or not.
    #[must_use]
    pub fn in_force(self, dev: bool) -> Self {
        let factor = if dev { limits::DEV_FACTOR } else { 1 };
        Self {
            address_free_failures: self.address_free_failures.saturating_mul(factor),
            address_tries: self.address_tries.saturating_mul(factor),
            ..self
        }
    }
}

#[derive(Debug, Clone, clap::Args)]
pub struct KeySecret {
    /// Seals the private signing keys in the database.
    #[arg(long, env = "AUTH_KEY_SECRET", hide_env_values = true)]
    pub key_secret: Secret,
}

/// How mail is written and sent.
#[derive(Debug, Clone, clap::Args)]
pub struct Mail {
    /// Address of the web app, for links in mails.
    #[arg(long, env = "PUBLIC_URL", default_value = "http://127.0.0.1:8080")]
    pub public_url: String,
    /// SMTP server (`smtps://user:password@host`). Without one, mails become files in MAIL_DIR.
    #[arg(long, env = "SMTP_URL", hide_env_values = true)]
    pub smtp_url: Option<Secret>,
    /// Folder of `.eml` files, which the development mailbox shows.
    #[arg(long, env = "MAIL_DIR")]
    pub mail_dir: Option<PathBuf>,
    /// Sender of all mails.
    #[arg(long, env = "MAIL_FROM", default_value = "Troupe <stage@troupe.example>")]
    pub mail_from: String,
    /// Name of the product in mails.
    #[arg(long, env = "BRAND_NAME", default_value = "Troupe")]
    pub brand_name: String,
}

impl Config {
    /// # Errors
    /// One sentence that names the variable.
    pub fn check(&self) -> anyhow::Result<()> {
        for (name, secret) in [("AUTH_CODE_KEY", &self.code_key), ("AUTH_KEY_SECRET", &self.keys.key_secret)]
        {
            anyhow::ensure!(
                secret.expose().len() >= SECRET_MIN,
                "{name} must have at least {SECRET_MIN} characters"
            );
        }
        anyhow::ensure!(
            self.mail.smtp_url.is_some() || self.mail.mail_dir.is_some(),
            "SMTP_URL or MAIL_DIR must be set: without either, nobody gets a code"
        );
        self.leaks()?;
        self.age().map(drop)
    }

    /// # Errors
    /// One sentence that names the variable.
    pub(crate) fn age(&self) -> anyhow::Result<Rules> {
        Rules::parse(&self.age_rules, self.age_provider_secret.as_ref())
    }

    /// # Errors
    /// One sentence that names the variable.
    pub(crate) fn leaks(&self) -> anyhow::Result<Leaks> {
        Leaks::new(self.leaked_passwords_url.as_deref())
    }
}
