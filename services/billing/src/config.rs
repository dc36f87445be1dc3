//! What billing is told by its environment.

use kit::config::{Common, Secret};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use crate::{
    plans::{Memory, Period, Plan},
    providers::{faults::Faults, stripe::Account},
};

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
    /// Who takes the money: sandbox or stripe.
    #[arg(long, env = "PAYMENTS", value_enum, default_value = "sandbox")]
    pub payments: Payments,
    /// How the sandbox misbehaves: `repeat=0.5,reorder=0.5,delay_ms=500,fail=0.2`.
    #[arg(long, env = "SANDBOX_FAULTS", default_value = "")]
    pub sandbox_faults: Faults,
    /// When promotions end (RFC 3339); empty: never.
    #[arg(long, env = "PROMO_DEADLINE", default_value = "")]
    pub promo_deadline: String,
    #[command(flatten)]
    pub memory: Memory,
    #[command(flatten)]
    pub stripe: StripeConfig,
}

/// Who takes the money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Payments {
    /// A page without a payment, for development and tests.
    Sandbox,
    Stripe,
}

/// What is told about the account at Stripe; needed when it takes the money.
#[derive(Debug, Clone, clap::Args)]
pub struct StripeConfig {
    /// Secret key of the API.
    #[arg(
        id = "stripe_secret_key",
        long = "stripe-secret-key",
        env = "STRIPE_SECRET_KEY",
        hide_env_values = true
    )]
    pub secret_key: Option<Secret>,
    /// Signing secret of the webhook endpoint (`/webhooks/stripe`, API version 2024-06-20).
    #[arg(
        id = "stripe_webhook_secret",
        long = "stripe-webhook-secret",
        env = "STRIPE_WEBHOOK_SECRET",
        hide_env_values = true
    )]
    pub webhook_secret: Option<Secret>,
    #[arg(
        id = "stripe_api_url",
        long = "stripe-api-url",
        env = "STRIPE_API_URL",
        default_value = "https://api.stripe.com"
    )]
    pub api_url: String,
    /// Where people come back to after paying.
    #[arg(long, env = "PUBLIC_URL", default_value = "http://127.0.0.1:8080")]
    pub public_url: String,
    #[arg(
        id = "stripe_price_premium_monthly",
        long = "stripe-price-premium-monthly",
        env = "STRIPE_PRICE_PREMIUM_MONTHLY"
    )]
    pub price_premium_monthly: Option<String>,
    #[arg(
        id = "stripe_price_premium_yearly",
        long = "stripe-price-premium-yearly",
        env = "STRIPE_PRICE_PREMIUM_YEARLY"
    )]
    pub price_premium_yearly: Option<String>,
    #[arg(
        id = "stripe_price_deluxe_monthly",
        long = "stripe-price-deluxe-monthly",
        env = "STRIPE_PRICE_DELUXE_MONTHLY"
    )]
    pub price_deluxe_monthly: Option<String>,
    #[arg(
        id = "stripe_price_deluxe_yearly",
        long = "stripe-price-deluxe-yearly",
        env = "STRIPE_PRICE_DELUXE_YEARLY"
    )]
    pub price_deluxe_yearly: Option<String>,
    /// Coupon of the promotion (70 % off, once). Without it each checkout gets a coupon of its own.
    #[arg(id = "stripe_promo_coupon", long = "stripe-promo-coupon", env = "STRIPE_PROMO_COUPON")]
    pub promo_coupon: Option<String>,
}

impl StripeConfig {
    /// # Errors
    /// One sentence that names the variable that is missing.
    pub(crate) fn account(&self) -> anyhow::Result<Account> {
        let secret = |value: &Option<Secret>, name: &str| match value {
            Some(secret) if secret.expose().len() >= SECRET_MIN => Ok(secret.expose().to_owned()),
            _ => anyhow::bail!("PAYMENTS=stripe needs {name}"),
        };
        let prices = [
            (Plan::Premium, Period::Monthly, &self.price_premium_monthly, "STRIPE_PRICE_PREMIUM_MONTHLY"),
            (Plan::Premium, Period::Yearly, &self.price_premium_yearly, "STRIPE_PRICE_PREMIUM_YEARLY"),
            (Plan::Deluxe, Period::Monthly, &self.price_deluxe_monthly, "STRIPE_PRICE_DELUXE_MONTHLY"),
            (Plan::Deluxe, Period::Yearly, &self.price_deluxe_yearly, "STRIPE_PRICE_DELUXE_YEARLY"),
        ];
        let price = |(plan, period, price, name): (Plan, Period, &Option<String>, &str)| match price {
            Some(price) if !price.is_empty() => Ok((plan, period, price.clone())),
            _ => Err(anyhow::anyhow!("PAYMENTS=stripe needs {name}")),
        };
        Ok(Account {
            secret_key: secret(&self.secret_key, "STRIPE_SECRET_KEY")?,
            webhook_secret: secret(&self.webhook_secret, "STRIPE_WEBHOOK_SECRET")?,
            api_url: self.api_url.clone(),
            public_url: self.public_url.trim_end_matches('/').to_owned(),
            prices: prices.into_iter().map(price).collect::<anyhow::Result<_>>()?,
            promo_coupon: self.promo_coupon.clone().filter(|c| !c.is_empty()),
        })
    }
}

impl Config {
    /// When promotions end.
    ///
    /// # Errors
    /// One sentence that names the variable.
    pub(crate) fn promo_deadline(&self) -> anyhow::Result<Option<OffsetDateTime>> {
        if self.promo_deadline.is_empty() {
            return Ok(None);
        }
        let deadline = OffsetDateTime::parse(&self.promo_deadline, &Rfc3339);
        deadline
            .map(Some)
            .map_err(|_| anyhow::anyhow!("PROMO_DEADLINE is not a time like 2026-11-01T00:00:00Z"))
    }

    /// # Errors
    /// One sentence that names the variable.
    pub fn check(&self) -> anyhow::Result<()> {
        anyhow::ensure!(
            self.webhook_secret.expose().len() >= SECRET_MIN,
            "BILLING_WEBHOOK_SECRET must have at least {SECRET_MIN} characters"
        );
        self.promo_deadline()?;
        if self.payments == Payments::Stripe {
            self.stripe.account()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use clap::Args as _;

    use super::Config;

    #[test]
    fn every_key_has_a_name_of_its_own() {
        Config::augment_args(clap::Command::new("billing")).debug_assert();
    }
}
