//! New tickets for the pictures that wait: `media-api requeue`, for when the queue was lost with its broker, or the
//! database is older than the queue.
//!
//! A ticket says that there is work, not which: one too many finds nothing to do. So it does no harm to do it again.

use std::time::Duration;

use crate::{config::RequeueConfig, events};

/// Answers how many pictures wait. The tickets lie in the outbox and go out when `media-api` serves.
///
/// # Errors
/// When the database cannot be reached.
pub async fn run(config: RequeueConfig) -> anyhow::Result<usize> {
    let db = kit::db::connect(&config.database, kit::db::Pool::default()).await?;
    let mut tx = db.begin().await?;
    let waiting = sqlx::query_scalar!("select id from job where state = 'queued' order by created_at")
        .fetch_all(&mut *tx)
        .await?;
    for job in &waiting {
        events::ticket(&mut tx, *job, Duration::ZERO).await?;
    }
    tx.commit().await?;
    Ok(waiting.len())
}
