//! How often: a rate per group of routes and per user (or address, for visitors), and one for all that
//! comes from an address, kept in Redis.
//! Redis being away opens the gate: a limit is a courtesy to the others, not a lock.

use std::{net::IpAddr, str::FromStr, sync::LazyLock, time::Duration};

use axum::http::{HeaderMap, HeaderValue};
use kit::{net::household, redis::Redis};
use redis::Script;
use uuid::Uuid;

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
/// In development every rate is this many times higher: a test suite signs up 300 users a minute from
/// one address.
const DEV_FACTOR: u32 = 100;

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

/// Generic cell rate: one number per key, the time at which everything is paid off. Times are
/// microseconds of Redis' own clock, so that all replicas agree. The key lives no longer than it counts.
/// Each key has a limit and a window of its own, and is counted whatever becomes of the others.
static GCRA: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        r"
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local function count(key, limit, window)
  local each = window / limit
  local paid = tonumber(redis.call('GET', key) or now)
  if paid < now then paid = now end
  local after = paid + each
  if after - now > window + 1 then
    return {0, 0, math.ceil(paid - now), math.ceil(after - now - window)}
  end
  redis.call('SET', key, string.format('%.0f', after), 'PX', math.ceil((after - now) / 1000) + 1)
  return {1, math.floor((window - (after - now)) / each + 0.001), math.ceil(after - now), 0}
end
local told = {}
for i, key in ipairs(KEYS) do
  told[i] = count(key, tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i]))
end
return told
",
    )
});

/// What the script tells of a key: whether the request is taken, how many more would be, and microseconds until all are
/// and until the next one is.
type Told = (u8, u32, u64, u64);

/// Counts requests.
pub struct Limiter {
    redis: Redis,
    rates: Rates,
    factor: u32,
}

impl Limiter {
    #[must_use]
    pub fn new(redis: Redis, rates: Rates, dev: bool) -> Self {
        Self { redis, rates, factor: if dev { DEV_FACTOR } else { 1 } }
    }

    /// Counts a request of a user (or of nobody known) from an address; `None` when the group is not
    /// limited or Redis is away. What is told is the limit that is nearer.
    pub async fn take(&self, group: Group, user: Option<Uuid>, address: IpAddr) -> Option<Standing> {
        let (name, rate) = self.rates.of(group)?;
        let who = user.map_or(Who::Address(address), Who::User);
        let counted = [(name, rate, who), ("address", self.rates.rate_address, Who::Address(address))];
        let limits = counted.map(|(_, rate, _)| rate.count.saturating_mul(self.factor));
        // In one way to Redis and back, which every request takes.
        let mut call = GCRA.prepare_invoke();
        for ((name, rate, who), limit) in counted.into_iter().zip(limits) {
            call.key(self.redis.key(format!("rl:{name}:{}", who.key())));
            call.arg(limit).arg(u64::from(rate.seconds) * 1_000_000);
        }
        let told: [Told; 2] = match self.redis.script(&call).await {
            Ok(told) => told,
            Err(error) => {
                metrics::counter!("rate_limit_unknown_total").increment(1);
                tracing::debug!(%error, "rate not counted");
                return None;
            }
        };
        let [own, all] = [0, 1].map(|at| standing(limits[at], told[at]));
        Some(own.nearer(all))
    }
}

fn standing(limit: u32, (allowed, remaining, reset, retry): Told) -> Standing {
    Standing {
        allowed: allowed == 1,
        limit,
        remaining,
        reset: Duration::from_micros(reset),
        retry: Duration::from_micros(retry),
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
