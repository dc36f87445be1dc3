//! What has run out is deleted.

use std::time::Duration;

use kit::shutdown::Shutdown;
use sqlx::PgPool;
use time::OffsetDateTime;

use crate::{error::Result, limits};

/// Between sweeps.
const EVERY: Duration = Duration::from_secs(600);

/// Sweeps now and again until shutdown.
pub async fn run(db: PgPool, shutdown: Shutdown) {
    loop {
        if let Err(error) = once(&db).await {
            tracing::warn!(%error, "not swept; tried again later");
        }
        tokio::select! { () = tokio::time::sleep(EVERY) => {}, () = shutdown.wait() => return }
    }
}

async fn once(db: &PgPool) -> Result<()> {
    let now = OffsetDateTime::now_utc();
    sqlx::query!("delete from revocation where expires_at < $1", now).execute(db).await?;
    sqlx::query!("delete from password_reset where expires_at < $1", now).execute(db).await?;
    // A code that has run out can still be told to be too late, for a while.
    sqlx::query!("delete from verification where expires_at < $1", now - limits::DEAD_CODE_KEPT)
        .execute(db)
        .await?;
    // What is left of a session is where somebody was.
    sqlx::query!(
        "delete from session where ended_at < $1 or created_at < $2",
        now - limits::SESSION_KEPT,
        now - limits::SESSION_LIFE - limits::SESSION_KEPT
    )
    .execute(db)
    .await?;
    sqlx::query!("delete from notification where created_at < $1", now - limits::NOTIFICATION_LIFE)
        .execute(db)
        .await?;
    Ok(())
}

/// One sweep, by command or by a test.
///
/// # Errors
/// When the database cannot be asked.
pub async fn sweep(db: &PgPool) -> anyhow::Result<()> {
    Ok(once(db).await?)
}
