//! Work that nobody waits for, while the database is away.

use std::{fmt::Display, time::Duration};

use tokio::time::{sleep, timeout};

use super::Db;
use crate::shutdown::Shutdown;

/// Between two looks whether it is back.
const LOOK: Duration = Duration::from_millis(500);
/// A look that takes longer has found nothing.
const ANSWER: Duration = Duration::from_secs(2);
/// A round of work in the background that takes longer has lost its connection without a word: requests have deadlines,
/// and it would wait for as long as the kernel does, a quarter of an hour. More than confirms of a broker may take.
const ROUND: Duration = Duration::from_secs(8);

/// One round of work that nobody waits for and that is begun again when it fails.
///
/// # Errors
/// What `work` failed with; `Io` when the database fell silent.
pub async fn round<T, E: From<sqlx::Error>>(work: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    timeout(ROUND, work).await.unwrap_or_else(|_| Err(silent().into()))
}

/// What a statement is told that was never answered.
pub(super) fn silent() -> sqlx::Error {
    sqlx::Error::Io(std::io::Error::new(std::io::ErrorKind::TimedOut, "PostgreSQL has fallen silent"))
}

impl Db {
    /// Does `work`, and does it again for as long as it fails while the database is away: that is no fault of the work,
    /// and counts as none. A message that was given back instead would be a dead letter after half a minute.
    ///
    /// # Errors
    /// What `work` failed with while the database was there, or at shutdown.
    pub async fn outlast<T, E: Display, W>(
        &self,
        shutdown: &Shutdown,
        mut work: impl FnMut() -> W,
    ) -> Result<T, E>
    where
        W: Future<Output = Result<T, E>>,
    {
        loop {
            let error = match work().await {
                Ok(done) => return Ok(done),
                Err(error) => error,
            };
            if self.answers().await {
                return Err(error);
            }
            tracing::warn!(%error, "waiting for the database");
            loop {
                tokio::select! { () = sleep(LOOK) => {}, () = shutdown.wait() => return Err(error) }
                if self.answers().await {
                    break;
                }
            }
        }
    }

    async fn answers(&self) -> bool {
        matches!(timeout(ANSWER, sqlx::query("select 1").execute(self)).await, Ok(Ok(_)))
    }
}
