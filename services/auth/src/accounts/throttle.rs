//! Brakes on guessing, in Redis. Fails closed: without Redis nobody logs in.

use std::time::Duration;

use kit::redis::Redis;
use sha2::{Digest as _, Sha256};

use crate::{
    error::{Error, Result},
    limits,
};

/// Counts failures of one account or address.
pub struct Throttle<'a> {
    redis: &'a Redis,
    key: String,
    /// Failures that cost no wait.
    free: u32,
}

impl<'a> Throttle<'a> {
    /// By account, known or not.
    pub fn account(redis: &'a Redis, email: &str) -> Self {
        let key = redis.key(format!("login:a:{}", masked(email)));
        Self { redis, key, free: limits::LOGIN_FREE_FAILURES }
    }

    pub fn address(redis: &'a Redis, ip: &str) -> Self {
        Self { redis, key: redis.key(format!("login:i:{ip}")), free: limits::ADDRESS_FREE_FAILURES }
    }

    /// Wrong codes and reset tokens from an address.
    pub fn tries(redis: &'a Redis, ip: &str) -> Self {
        Self { redis, key: redis.key(format!("login:t:{ip}")), free: limits::ADDRESS_TRIES }
    }

    /// # Errors
    /// `TooManyAttempts` while the wait of earlier failures lasts.
    pub async fn check(&self) -> Result<()> {
        let wait: i64 = self.redis.run(redis::cmd("PTTL").arg(format!("{}:wait", self.key))).await?;
        match u64::try_from(wait) {
            Ok(ms) if ms > 0 => Err(Error::TooManyAttempts(Duration::from_millis(ms))),
            _ => Ok(()),
        }
    }

    /// Counts a failure; from the first that is not free, each doubles the wait.
    pub async fn failed(&self) -> Result<()> {
        let mut count = redis::pipe();
        count
            .atomic()
            .cmd("INCR")
            .arg(&self.key)
            .cmd("EXPIRE")
            .arg(&self.key)
            .arg(limits::LOGIN_MEMORY_S)
            .ignore();
        let (failures,): (u32,) = self.redis.pipe(&count).await?;
        if let Some(over) = failures.checked_sub(self.free) {
            let wait = 2u64.saturating_pow(over.min(10)).min(limits::LOGIN_MEMORY_S);
            let key = format!("{}:wait", self.key);
            self.redis.run::<()>(redis::cmd("SET").arg(key).arg(1).arg("EX").arg(wait)).await?;
        }
        Ok(())
    }

    pub async fn forget(&self) -> Result<()> {
        self.redis.run::<i64>(redis::cmd("DEL").arg(&self.key).arg(format!("{}:wait", self.key))).await?;
        Ok(())
    }
}

/// Whether one more mail may go to this address at somebody's request.
pub async fn may_mail(redis: &Redis, email: &str) -> Result<bool> {
    let key = redis.key(format!("rl:mail:{}", masked(email)));
    let mut count = redis::pipe();
    count.atomic().cmd("INCR").arg(&key).cmd("EXPIRE").arg(&key).arg(3600).arg("NX").ignore();
    let (mails,): (u32,) = redis.pipe(&count).await?;
    Ok(mails <= limits::MAILS_PER_HOUR)
}

/// Counts a try of a code against an address that has no live one; answers how many there were.
pub async fn code_tries(redis: &Redis, email: &str) -> Result<u32> {
    let key = redis.key(format!("login:c:{}", masked(email)));
    let life = limits::CODE_LIFE.whole_seconds();
    let mut count = redis::pipe();
    count.atomic().cmd("INCR").arg(&key).cmd("EXPIRE").arg(&key).arg(life).arg("NX").ignore();
    let (tries,): (u32,) = redis.pipe(&count).await?;
    Ok(tries)
}

/// A new code was asked for: the count of [`code_tries`] begins again, as that of a real code does.
pub async fn forget_code_tries(redis: &Redis, email: &str) -> Result<()> {
    redis.run::<i64>(redis::cmd("DEL").arg(redis.key(format!("login:c:{}", masked(email))))).await?;
    Ok(())
}

/// An e-mail address as part of a key: hashed, since keys are seen by operators.
fn masked(email: &str) -> String {
    hex::encode(&Sha256::digest(email.trim().to_lowercase())[..16])
}
