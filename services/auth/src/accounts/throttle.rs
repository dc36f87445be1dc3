//! Brakes on guessing, in Redis. Fails closed: without Redis nobody logs in.

use std::{net::IpAddr, time::Duration};

use kit::{net::household, redis::Redis};
use sha2::{Digest as _, Sha256};

use super::normal;
use crate::{
    config::Brakes,
    error::{Error, Result},
    limits,
};

/// Longest wait is this power of two, in seconds, unless failures are forgotten before.
const DOUBLINGS_MAX: u32 = 10;

/// Counts by account and by address, as the configuration says.
#[derive(Clone)]
pub struct Throttles {
    redis: Redis,
    limits: Brakes,
}

/// Counts failures of one account or address.
pub struct Throttle<'a> {
    redis: &'a Redis,
    key: String,
    /// Failures that cost no wait.
    free: u32,
    /// Seconds that failures are remembered.
    memory: u64,
}

impl Throttles {
    pub fn new(redis: Redis, limits: Brakes) -> Self {
        Self { redis, limits }
    }

    /// By account, known or not.
    pub fn account(&self, email: &str) -> Throttle<'_> {
        self.of(&format!("a:{}", masked(email)), self.limits.login_free_failures)
    }

    pub fn address(&self, ip: &str) -> Throttle<'_> {
        self.of(&format!("i:{}", place(ip)), self.limits.address_free_failures)
    }

    /// Wrong codes and reset tokens from an address.
    pub fn tries(&self, ip: &str) -> Throttle<'_> {
        self.of(&format!("t:{}", place(ip)), self.limits.address_tries)
    }

    fn of(&self, whom: &str, free: u32) -> Throttle<'_> {
        let key = self.redis.key(format!("login:{whom}"));
        Throttle { redis: &self.redis, key, free, memory: self.limits.login_memory_s }
    }

    /// Asks both brakes of a login in one way to Redis, and how long a wait is only when there is one; answers whether the
    /// account has failures to forget.
    ///
    /// # Errors
    /// `TooManyAttempts` while the wait of earlier failures lasts, the account's first.
    pub async fn let_in(&self, account: &Throttle<'_>, address: &Throttle<'_>) -> Result<bool> {
        let (account_waits, address_waits, failures): (Option<u8>, Option<u8>, Option<u32>) = self
            .redis
            .run(redis::cmd("MGET").arg(account.wait()).arg(address.wait()).arg(&account.key))
            .await?;
        for (waits, throttle) in [(account_waits, account), (address_waits, address)] {
            if waits.is_some() {
                throttle.check().await?;
            }
        }
        Ok(failures.is_some())
    }

    /// Whether one more mail may go to this address at somebody's request.
    pub async fn may_mail(&self, email: &str) -> Result<bool> {
        let key = self.redis.key(format!("rl:mail:{}", masked(email)));
        let mut count = redis::pipe();
        count.atomic().cmd("INCR").arg(&key).cmd("EXPIRE").arg(&key).arg(3600).arg("NX").ignore();
        let (mails,): (u32,) = self.redis.pipe(&count).await?;
        Ok(mails <= self.limits.mails_per_hour)
    }

    /// Counts a try of a code against an address that has no live one; answers how many there were.
    pub async fn code_tries(&self, email: &str) -> Result<u32> {
        let key = self.redis.key(format!("login:c:{}", masked(email)));
        let life = limits::CODE_LIFE.whole_seconds();
        let mut count = redis::pipe();
        count.atomic().cmd("INCR").arg(&key).cmd("EXPIRE").arg(&key).arg(life).arg("NX").ignore();
        let (tries,): (u32,) = self.redis.pipe(&count).await?;
        Ok(tries)
    }

    /// A new code was asked for: the count of [`Self::code_tries`] begins again, as that of a real code
    /// does.
    pub async fn forget_code_tries(&self, email: &str) -> Result<()> {
        let key = self.redis.key(format!("login:c:{}", masked(email)));
        self.redis.run::<i64>(redis::cmd("DEL").arg(key)).await?;
        Ok(())
    }
}

impl Throttle<'_> {
    /// # Errors
    /// `TooManyAttempts` while the wait of earlier failures lasts.
    pub async fn check(&self) -> Result<()> {
        waited(self.redis.run(redis::cmd("PTTL").arg(self.wait())).await?)
    }

    /// The key that lives as long as the wait.
    fn wait(&self) -> String {
        format!("{}:wait", self.key)
    }

    /// Counts a failure; from the first that is not free, each doubles the wait.
    pub async fn failed(&self) -> Result<()> {
        let mut count = redis::pipe();
        count.atomic().cmd("INCR").arg(&self.key).cmd("EXPIRE").arg(&self.key).arg(self.memory).ignore();
        let (failures,): (u32,) = self.redis.pipe(&count).await?;
        if let Some(over) = failures.checked_sub(self.free) {
            let wait = 2u64.saturating_pow(over.min(DOUBLINGS_MAX)).min(self.memory);
            self.redis.run::<()>(redis::cmd("SET").arg(self.wait()).arg(1).arg("EX").arg(wait)).await?;
        }
        Ok(())
    }

    pub async fn forget(&self) -> Result<()> {
        self.redis.run::<i64>(redis::cmd("DEL").arg(&self.key).arg(self.wait())).await?;
        Ok(())
    }
}

/// Whether a wait of so many milliseconds is over; Redis tells of one that was never there by a negative number.
fn waited(ms: i64) -> Result<()> {
    match u64::try_from(ms) {
        Ok(ms) if ms > 0 => Err(Error::TooManyAttempts(Duration::from_millis(ms))),
        _ => Ok(()),
    }
}

/// An e-mail address as part of a key: hashed, since keys are seen by operators. Made of the form by which
/// the account is found, or one account would have as many counts as its address has spellings.
fn masked(email: &str) -> String {
    hex::encode(&Sha256::digest(normal(email))[..16])
}

/// An address as part of a key.
fn place(ip: &str) -> String {
    ip.trim().parse::<IpAddr>().map_or_else(|_| ip.to_owned(), household)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_account_has_one_count() {
        assert_eq!(masked(" ADA@Example.org "), masked("ada@example.org"));
        // Its lower case is that of an ASCII letter, or not, depending on whom one asks.
        for other in ["kım@example.org", "KİM@example.org", "\u{212A}im@example.org"] {
            assert_ne!(masked(other), masked("kim@example.org"), "{other}");
        }
    }

    #[test]
    fn a_household_is_one_address() {
        assert_eq!(place("2001:db8:1:2::1"), place("2001:db8:1:2:ffff::7"));
        assert_ne!(place("192.0.2.1"), place("192.0.2.2"));
        assert_eq!(place("unknown"), "unknown");
    }
}
