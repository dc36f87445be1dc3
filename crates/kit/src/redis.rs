//! Redis, never waited for: each command is answered within [`TIMEOUT`] or counts as down.

use std::time::Duration;

use anyhow::Context as _;
use redis::{
    Cmd, FromRedisValue, Pipeline,
    aio::{ConnectionManager, ConnectionManagerConfig},
};
use thiserror::Error;

use crate::config::Common;

/// A command during an outage was measured to hang 4.8 s in reconnects; this is what we wait.
pub const TIMEOUT: Duration = Duration::from_millis(100);

/// Redis did not answer (in time).
#[derive(Debug, Error)]
#[error("redis is unavailable: {0}")]
pub struct Down(String);

/// One multiplexed connection; clones share it. No blocking command may pass through it: it would
/// hold up everyone else's.
#[derive(Clone)]
pub struct Redis {
    connection: ConnectionManager,
    prefix: String,
}

impl Redis {
    /// # Errors
    /// When the address is malformed or Redis cannot be reached at start.
    pub async fn connect(common: &Common) -> anyhow::Result<Self> {
        let client = redis::Client::open(common.redis_url.expose())
            .map_err(|_| anyhow::anyhow!("REDIS_URL is not a Redis address"))?;
        let config = ConnectionManagerConfig::new()
            .set_max_delay(Duration::from_secs(1))
            .set_number_of_retries(usize::MAX);
        let connection =
            tokio::time::timeout(Duration::from_secs(5), ConnectionManager::new_with_config(client, config))
                .await
                .context("Redis at REDIS_URL did not answer within 5 s")?
                .context("Redis at REDIS_URL cannot be reached")?;
        Ok(Self { connection, prefix: common.prefix.clone() })
    }

    /// The key under the house's prefix.
    #[must_use]
    pub fn key(&self, key: impl AsRef<str>) -> String {
        if self.prefix.is_empty() {
            key.as_ref().to_owned()
        } else {
            format!("{}:{}", self.prefix, key.as_ref())
        }
    }

    /// # Errors
    /// [`Down`] when there is no answer within [`TIMEOUT`].
    pub async fn run<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, Down> {
        let mut connection = self.connection.clone();
        within(command.query_async(&mut connection)).await
    }

    /// # Errors
    /// [`Down`] when there is no answer within [`TIMEOUT`].
    pub async fn pipe<T: FromRedisValue>(&self, pipeline: &Pipeline) -> Result<T, Down> {
        let mut connection = self.connection.clone();
        within(pipeline.query_async(&mut connection)).await
    }

    /// Runs a script by its digest, sending its text only when Redis does not know it.
    ///
    /// # Errors
    /// [`Down`] when there is no answer within [`TIMEOUT`].
    pub async fn script<T: FromRedisValue>(&self, call: &redis::ScriptInvocation<'_>) -> Result<T, Down> {
        let mut connection = self.connection.clone();
        within(call.invoke_async(&mut connection)).await
    }
}

async fn within<T>(answer: impl Future<Output = redis::RedisResult<T>>) -> Result<T, Down> {
    match tokio::time::timeout(TIMEOUT, answer).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(down(error.to_string())),
        Err(_) => Err(down(format!("no answer within {} ms", TIMEOUT.as_millis()))),
    }
}

fn down(why: String) -> Down {
    metrics::counter!("redis_failures_total").increment(1);
    Down(why)
}
