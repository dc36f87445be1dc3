//! What has run out is deleted.

use std::time::Duration;

use kit::{db::Db, shutdown::Shutdown};

use crate::{App, account_data, error::Result, keys, limits, strikes};

/// Between sweeps.
const EVERY: Duration = Duration::from_secs(600);

/// Sweeps now and again until shutdown.
pub async fn run(app: App, shutdown: Shutdown) {
    loop {
        if let Err(error) = app.sweep().await {
            tracing::warn!(%error, "not swept; tried again later");
        }
        tokio::select! { () = tokio::time::sleep(EVERY) => {}, () = shutdown.wait() => return }
    }
}

impl App {
    async fn sweep(&self) -> Result<()> {
        while let Some(revoked) = account_data::erase_one(&self.db).await? {
            keys::tell(&self.notices, &revoked).await;
        }
        once(&self.db).await
    }
}

async fn once(db: &Db) -> Result<()> {
    let now = kit::db::now(db).await?;
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
    // A mail that was given up is due again for ever, were it not for its attempts.
    sqlx::query!(
        "delete from mail where attempts >= $1 and available_at < $2",
        limits::MAIL_ATTEMPTS,
        now - limits::DEAD_MAIL_KEPT
    )
    .execute(db)
    .await?;
    strikes::forget(db, now - limits::STRIKE_LIFE).await?;
    sqlx::query!("delete from wish where at < $1", now - limits::WISH_KEPT).execute(db).await?;
    sqlx::query!("delete from signing_key where retires_at < $1", now - limits::DEAD_KEY_KEPT)
        .execute(db)
        .await?;
    account_data::store::forget(db, now - limits::ERASURE_KEPT).await?;
    sqlx::query!("delete from notification where created_at < $1", now - limits::NOTIFICATION_LIFE)
        .execute(db)
        .await?;
    Ok(())
}

/// One sweep, now.
///
/// # Errors
/// When the database cannot be asked.
pub async fn sweep(db: &Db) -> anyhow::Result<()> {
    // The processes find the revocations by their polls, within a second.
    while account_data::erase_one(db).await?.is_some() {}
    Ok(once(db).await?)
}
