//! How often: a rate per group of routes and per user (or address, for visitors), and one for all that
//! comes from an address, kept in Redis.
//! Redis being away opens the gate: a limit is a courtesy to the others, not a lock.

mod limiter;
mod nearby;

use std::{net::IpAddr, str::FromStr, time::Duration};

use axum::http::{HeaderMap, HeaderValue};
use kit::net::household;
use uuid::Uuid;

pub use self::limiter::Limiter;

/// Bytes of a JSON or form body.
pub const BODY_BYTES: usize = 1024 * 1024;
/// Bytes of an uploaded picture.
pub const UPLOAD_BYTES: usize = 10 * 1024 * 1024;
/// Bytes of a multipart body: the picture and its text fields.
pub const MULTIPART_BYTES: usize = UPLOAD_BYTES + 2 * BODY_BYTES;
/// Bytes of one text field of a multipart body.
pub const FIELD_BYTES: usize = 64 * 1024;
/// Bytes of a field of a character form that holds greetings or a lorebook.
pub const CARD_FIELD_BYTES: usize = 768 * 1024;
/// Bytes of a card file.
pub const CARD_BYTES: usize = 25 * 1024 * 1024;
/// Bytes of a multipart body with a card file, and a picture in place of its own.
pub const CARD_FORM_BYTES: usize = CARD_BYTES + MULTIPART_BYTES;
/// Bytes of a message that carries a card, both ways.
pub const CARD_MESSAGE: usize = 48 * 1024 * 1024;
/// Bytes of a body that are read before its request is refused.
pub const READ_OUT_BYTES: usize = 64 * 1024;
/// How long that may take.
pub const READ_OUT_TIME: Duration = Duration::from_millis(500);
/// Bytes of a provider's webhook.
pub const WEBHOOK_BYTES: usize = 256 * 1024;
/// Messages of a chat that is opened, where the caller does not say.
pub const CHAT_PAGE: u32 = 100;

/// So many requests in so many seconds; written `30/60`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    pub count: u32,
    pub seconds: u32,
}

impl FromStr for Rate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = |part: &str| part.trim().parse::<u32>().ok().filter(|n| (1..=1_000_000).contains(n));
        let (count, seconds) = text.split_once('/').ok_or("write it as requests/seconds, like 30/60")?;
        match (read(count), read(seconds)) {
            (Some(count), Some(seconds)) => Ok(Self { count, seconds }),
            _ => Err("both numbers are between 1 and 1000000, like 30/60".into()),
        }
    }
}

/// Routes that share a rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Sign-up, login, codes and resets.
    Accounts,
    /// Reading.
    Read,
    /// Changing something small.
    Write,
    /// Messages to characters.
    Messages,
    /// Characters, pictures, uploads.
    Create,
    /// Checkouts and their pages.
    Billing,
    /// Pictures and what providers send: never counted here.
    Free,
}

/// Requests per seconds of each group, per user or address.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct Rates {
    /// Sign-up, login, codes and resets, per address (requests/seconds).
    #[arg(long, env = "RATE_ACCOUNTS", default_value = "30/60")]
    pub rate_accounts: Rate,
    /// Reading (requests/seconds).
    #[arg(long, env = "RATE_READ", default_value = "600/60")]
    pub rate_read: Rate,
    /// Reactions, follows, reviews, settings (requests/seconds).
    #[arg(long, env = "RATE_WRITE", default_value = "120/60")]
    pub rate_write: Rate,
    /// Messages to characters (requests/seconds).
    #[arg(long, env = "RATE_MESSAGES", default_value = "40/60")]
    pub rate_messages: Rate,
    /// Characters, pictures and uploads (requests/seconds).
    #[arg(long, env = "RATE_CREATE", default_value = "30/60")]
    pub rate_create: Rate,
    /// Checkouts and their pages (requests/seconds).
    #[arg(long, env = "RATE_BILLING", default_value = "30/60")]
    pub rate_billing: Rate,
    /// All that comes from one address, whoever asks (requests/seconds).
    #[arg(long, env = "RATE_ADDRESS", default_value = "2400/60")]
    pub rate_address: Rate,
}

impl Rates {
    fn of(&self, group: Group) -> Option<(&'static str, Rate)> {
        Some(match group {
            Group::Accounts => ("accounts", self.rate_accounts),
            Group::Read => ("read", self.rate_read),
            Group::Write => ("write", self.rate_write),
            Group::Messages => ("messages", self.rate_messages),
            Group::Create => ("create", self.rate_create),
            Group::Billing => ("billing", self.rate_billing),
            Group::Free => return None,
        })
    }
}

/// Who is counted.
#[derive(Debug, Clone, Copy)]
enum Who {
    User(Uuid),
    Address(IpAddr),
}

impl Who {
    fn key(self) -> String {
        match self {
            Self::User(id) => format!("u:{id}"),
            Self::Address(ip) => format!("a:{}", household(ip)),
        }
    }
}

/// How a request stands against its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    pub allowed: bool,
    pub limit: u32,
    pub remaining: u32,
    /// Until the whole limit is there again.
    pub reset: Duration,
    /// Until the next request is taken; zero when this one was.
    pub retry: Duration,
}

impl Standing {
    /// The one that stops the client first.
    fn nearer(self, other: Self) -> Self {
        let other_first = match (self.allowed, other.allowed) {
            (true, true) => other.remaining < self.remaining,
            (false, false) => other.retry > self.retry,
            (mine, theirs) => mine && !theirs,
        };
        if other_first { other } else { self }
    }

    /// `RateLimit-*`, in requests and seconds.
    pub fn write(&self, headers: &mut HeaderMap) {
        let reset = u64::try_from(self.reset.as_millis().div_ceil(1000)).unwrap_or(u64::MAX);
        headers.insert("ratelimit-limit", HeaderValue::from(self.limit));
        headers.insert("ratelimit-remaining", HeaderValue::from(self.remaining));
        headers.insert("ratelimit-reset", HeaderValue::from(reset));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_two_numbers() {
        assert_eq!("30/60".parse(), Ok(Rate { count: 30, seconds: 60 }));
        for bad in ["30", "0/60", "30/0", "a/b", "-1/2"] {
            assert!(bad.parse::<Rate>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_household_is_counted_as_one() {
        let one = Who::Address("2001:db8:1:2::1".parse().expect("an address"));
        let other = Who::Address("2001:db8:1:2:3::9".parse().expect("an address"));
        assert_eq!(one.key(), other.key());
    }
}
