//! Deletion with time to change one's mind: first off the stage, then erased.

use kit::{
    db::{Db, Transaction},
    shutdown::Shutdown,
};
use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use super::store;
use crate::{account_data, error::Result, events, limits};

/// Takes a character of this owner off the stage; answers since when it is off. Twice is as once.
pub async fn delete(tx: &mut Transaction, id: Uuid, owner: Uuid) -> Result<Option<OffsetDateTime>> {
    let at = sqlx::query_scalar!(
        r#"update character set version = version + (deleted_at is null)::int, deleted_at = coalesce(deleted_at, now())
           where id = $1 and owner = $2 and state <> 'removed' returning deleted_at as "at!""#,
        id,
        owner
    )
    .fetch_optional(&mut **tx)
    .await?;
    if at.is_some() {
        store::relist(tx, id, false).await?;
        events::character_changed(tx, id).await?;
    }
    Ok(at)
}

/// Brings a deleted character of this owner back, in the state it was in; false when there is none.
pub async fn restore(tx: &mut Transaction, id: Uuid, owner: Uuid) -> Result<bool> {
    let back = sqlx::query!(
        "update character set deleted_at = null, version = version + (deleted_at is not null)::int
         where id = $1 and owner = $2 and state <> 'removed' and (deleted_at is null or deleted_at > $3)",
        id,
        owner,
        OffsetDateTime::now_utc() - limits::CHANGE_OF_MIND
    )
    .execute(&mut **tx)
    .await?;
    if back.rows_affected() == 0 {
        return Ok(false);
    }
    store::relist(tx, id, false).await?;
    events::character_changed(tx, id).await?;
    Ok(true)
}

/// Ids of what this owner can still bring back, the newest deletion first.
pub async fn deleted(db: impl PgExecutor<'_>, owner: Uuid) -> Result<Vec<Uuid>> {
    Ok(sqlx::query_scalar!(
        "select id from character where owner = $1 and state <> 'removed' and deleted_at > $2
         order by deleted_at desc, id desc limit $3",
        owner,
        OffsetDateTime::now_utc() - limits::CHANGE_OF_MIND,
        limits::DELETED_MAX
    )
    .fetch_all(db)
    .await?)
}

/// Erases a character with all that people did with it.
pub async fn erase(tx: &mut Transaction, id: Uuid) -> Result<()> {
    sqlx::query!(
        "update character set deleted_at = coalesce(deleted_at, now()), version = version + 1 where id = $1",
        id
    )
    .execute(&mut **tx)
    .await?;
    events::character_changed(tx, id).await?;
    sqlx::query!("delete from character where id = $1", id).execute(&mut **tx).await?;
    Ok(())
}

/// Erases what nobody can bring back any more, until shutdown.
pub async fn sweep(db: Db, shutdown: Shutdown) {
    loop {
        match sweep_once(&db).await {
            Ok(0) => {}
            Ok(erased) => tracing::info!(erased, "deleted characters erased"),
            Err(error) => tracing::warn!(%error, "deleted characters not erased"),
        }
        tokio::select! { () = tokio::time::sleep(limits::SWEEP) => {}, () = shutdown.wait() => return }
    }
}

async fn sweep_once(db: &Db) -> Result<usize> {
    let mut tx = db.begin().await?;
    let due = sqlx::query_scalar!(
        "select id from character where deleted_at <= $1 order by deleted_at limit $2 for update skip locked",
        OffsetDateTime::now_utc() - limits::CHANGE_OF_MIND,
        limits::SWEEP_MAX
    )
    .fetch_all(&mut *tx)
    .await?;
    for id in &due {
        erase(&mut tx, *id).await?;
    }
    sqlx::query!("delete from listing_gone where at < now() - interval '1 day'").execute(&mut *tx).await?;
    account_data::sweep(&mut *tx).await?;
    tx.commit().await?;
    Ok(due.len())
}
