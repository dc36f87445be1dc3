//! Who takes the money: one trait, behind it the sandbox and Stripe. What they tell comes as one kind of
//! [`Event`]; what they are told goes as [`Task`]s, written with the change that asks for them.

pub mod faults;
pub mod sandbox;
pub mod standard;
mod store;
pub mod stripe;
pub mod tasks;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use uuid::Uuid;

pub use self::tasks::{Task, ask};
use crate::{
    checkout::Checkout,
    error::Result,
    plans::{Period, Plan},
};

/// Which purchase or subscription a provider speaks of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// The first payment, by the id of our checkout.
    Checkout(Uuid),
    /// A renewal, by the provider's id of the subscription.
    Subscription(String),
}

/// Money that has arrived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paid {
    pub about: About,
    /// The provider's id of this payment; one payment counts once, however often it is told.
    pub payment: String,
    /// The provider's id of the subscription, and of whom it charges.
    pub subscription: Option<String>,
    pub customer: Option<String>,
    /// Minor units.
    pub amount: i64,
    /// ISO 4217.
    pub currency: String,
    /// What was paid for, where the provider says so.
    pub of: Option<(Plan, Period)>,
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
}

/// What a provider's webhook means here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    Paid(Paid),
    /// A renewal could not be charged.
    PaymentFailed {
        subscription: String,
        #[serde(with = "time::serde::rfc3339")]
        at: OffsetDateTime,
    },
    /// The provider will not charge again (true), or will after all.
    Canceled {
        subscription: String,
        canceled: bool,
        #[serde(with = "time::serde::rfc3339")]
        at: OffsetDateTime,
    },
    /// So much of a payment has gone back by now, in minor units.
    Refunded {
        payment: String,
        total: i64,
        #[serde(with = "time::serde::rfc3339")]
        at: OffsetDateTime,
    },
    Ignored,
}

impl Event {
    /// The subscription it is about, unless it begins one.
    pub fn subscription(&self) -> Option<&str> {
        match self {
            Self::Paid(Paid { about: About::Subscription(id), .. }) => Some(id),
            Self::PaymentFailed { subscription, .. } | Self::Canceled { subscription, .. } => {
                Some(subscription)
            }
            _ => None,
        }
    }
}

/// A webhook whose signature holds.
#[derive(Debug)]
pub struct Webhook {
    /// A repetition has the same one.
    pub id: String,
    pub event: Event,
}

/// Reads a header of a webhook, whatever the case of its name.
pub type Header<'a> = &'a (dyn Fn(&str) -> Option<String> + Send + Sync);

/// Somebody who takes money.
#[async_trait]
pub trait PaymentProvider: Send + Sync {
    /// As in `/webhooks/{name}` and in the database.
    fn name(&self) -> &'static str;

    /// Opens a page where `checkout` is paid; answers its address.
    async fn start(&self, checkout: &Checkout, customer: Option<&str>) -> Result<String>;

    /// The page where people see to their cards and invoices.
    async fn portal(&self, customer: Option<&str>) -> Result<String>;

    /// Whether the subscription is charged again at the end of its period. Any pending change is dropped.
    async fn renew(&self, subscription: &str, on: bool) -> Result<()>;

    /// From the next period on it is this plan.
    async fn change(&self, subscription: &str, plan: Plan, period: Period) -> Result<()>;

    /// Ends the subscription now; one that has ended stays so.
    async fn end(&self, subscription: &str) -> Result<()>;

    /// Gives back `amount` of a payment; the same `key` again gives nothing.
    async fn refund(&self, payment: &str, amount: i64, key: Uuid) -> Result<()>;

    /// # Errors
    /// `WebhookRefused` when it is not signed as it must be, or is not understood.
    fn read(&self, header: Header<'_>, body: &[u8], now: OffsetDateTime) -> Result<Webhook>;
}
